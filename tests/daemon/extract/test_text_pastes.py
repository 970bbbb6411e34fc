"""Pastes that nobody marked: what is the user's own in a typed message, and what is not."""

import pytest

from ctxd.extract.text import blocks, own_words, sentences

OTHERS = {
    "a review that is introduced": (
        (
            "got this feedback:\n\n"
            "The retry loop drops the last error (client.go:88). Callers see a nil error although "
            "the upload failed.\n\nConsider wrapping it, or add a test that covers this path.\n\n"
            "is that right? if so fix it"
        ),
        ["got this feedback:", "is that right? if so fix it"],
    ),
    "what another agent did": (
        (
            "OK, the other agent is working on these points:\n\n"
            "Stale references\n- The port is 8081 in deploy.yaml:14, not 8080.\n"
            "- `refresh()` is never called.\n\nI'll have you look at its result later."
        ),
        [
            "OK, the other agent is working on these points:",
            "I'll have you look at its result later.",
        ],
    ),
    "an agent's answer with its offer to go on": (
        (
            "The building agent didn't fully agree with finding 2\n\n"
            "Net: one real bug.\n- Order (real): it now sorts by the last use.\n"
            "- Key (inverted): I kept `slug` because the wire sends it.\n\n"
            "I've added a test for it. Want me to go on with the next chunk?\n\n"
            "Check their answer."
        ),
        ["The building agent didn't fully agree with finding 2", "Check their answer."],
    ),
    "a terminal of an agent": (
        (
            "this is what it did\n\n⏺ Bash(make lint)\n  ⎿  3 files left unchanged\n\n"
            "nothing else to see\n\n⏺ Done! All is green.\n\nbut it isnt, look again"
        ),
        ["this is what it did", "but it isnt, look again"],
    ),
    "formal prose between casual lines": (
        (
            "hm what about this one\n\n"
            "The cache key ignores the tenant (cache.py:31). Two tenants that ask for the same "
            "path overwrite each other silently.\n\nyeah thats bad, fix that first"
        ),
        ["hm what about this one", "yeah thats bad, fix that first"],
    ),
    "a point that is answered below it": (
        (
            "y, tiny files only... dont care\n\n"
            "- Memory vs. hard limits. Reading whole files into memory will hit the 512 MB cap for "
            "large exports. Consider streaming them in chunks.\n\n"
            "I like streaming. Let's do that."
        ),
        ["y, tiny files only... dont care", "I like streaming. Let's do that."],
    ),
    "a comment that is answered behind an arrow": (
        (
            "With two writers the later total replaces the earlier one. The first writer's numbers "
            "are lost without any trace.\n\n"
            "Please decide which of them wins, or keep both in a list.\n\n"
            "-> imo only the second one matters, it has counted everything"
        ),
        ["imo only the second one matters, it has counted everything"],
    ),
    "a quotation that is a paragraph": (
        (
            "a customer wrote this, can you look?\n\n"
            '"Your export leaves out the last row when the file ends without a newline. We lost '
            'two bookings by that last week."'
        ),
        ["a customer wrote this, can you look?"],
    ),
    "a quotation of several paragraphs": (
        (
            'and this came back as the answer: "Plan for the harbour\n\n1. Compare both rules\n\n'
            'Next: please confirm the scope"\n\nit should do it and not show me a plan'
        ),
        ["and this came back as the answer:", "it should do it and not show me a plan"],
    ),
    "a comment in the line that introduces it": (
        (
            'review comment I got: "The helper reads the file twice. It should be cached per run '
            'instead of per call."\n\nmy take: once per call is fine'
        ),
        ["review comment I got:", "my take: once per call is fine"],
    ),
    "a mail": (
        (
            "can we do something about that\n\n"
            "From: Dana\nSubject: Invoices\n\nHello,\nthe totals on page two do not add up.\n\n"
            "Best regards,\nDana\n\nlets find out why pls"
        ),
        ["can we do something about that", "lets find out why pls"],
    ),
    "a page that was copied as a whole": (
        "write a short post about this\n\n"
        + "\n\n".join(["Home", "Sign in", "Search", "Upvote\n12", "Share", "Reply"] * 4)
        + "\n\nThe release is out and it is fine, they say.\n\nCookie policy",
        ["write a short post about this"],
    ),
    "a review in another language": (
        (
            "der prüfer schreibt:\n\nDie Abfrage läuft zweimal. Das kostet bei großen Tabellen "
            "mehrere Sekunden.\n\nok mach nur eine"
        ),
        ["der prüfer schreibt:", "ok mach nur eine"],
    ),
    "English in a message that is not": (
        (
            "这个怎么处理？\n\nThe export job reads every table twice and holds a lock "
            "meanwhile, so that the nightly import has to wait for it and now and then runs "
            "into its own timeout.\n\n"
            "先不要改"
        ),
        ["这个怎么处理？", "先不要改"],
    ),
}

OWN = {
    "a specification": (
        "Build the importer.\n\n## Requirements\n1. It must read CSV and JSON.\n"
        "2. Rows with an unknown currency are rejected.\n3. Nothing is written before all rows "
        "are checked.\n\n## Constraints\n- Never touch `prod/`.\n- Use `decimal`, not floats.\n\n"
        "Ask before you add a dependency."
    ),
    "a specification behind a casual line": (
        "ok new thing, can you build that\n\n## Goal\nThe importer accepts `csv` files — nothing "
        "else. Each row gets an id of its own, and rows are never changed later.\n\n"
        "## Not in scope\n- Excel\n- Retries"
    ),
    "wishes with headings": (
        "some changes:\n\n**Sidebar**\n- make it collapsible\n- remember the state\n\n"
        "**Editor**\n- Save on blur, never on every key.\n- The title should not wrap."
    ),
    "a long dictation": (
        "so i was thinking about the map..right now it loads everything at once and that takes "
        "forever..maybe we only load what is visible..and then the rest when you scroll..also "
        "the pins are too small\n\nand i dont want the popup anymore..just open the page"
    ),
    "neat paragraphs with one that is not": (
        "The simplest way is to send the plain key. It is clumsy for people, since nobody "
        "remembers it. How would somebody find mine?\n\n"
        "We could offer a search for it.\n\n"
        "since both need the key first lets do that now and the search in another phase"
    ),
    "feedback of the user's own": (
        "my feedback:\n\n- The header should be smaller.\n- Consider a darker blue.\n"
        "- `Save` is misleading, call it `Keep`."
    ),
    "what the user wants": (
        "here is what I want:\n\nThe button opens a dialog. The dialog lists all drafts — newest "
        "first. Nothing is deleted without a question."
    ),
    "steps to reproduce": (
        "it crashes, do the following:\n\n1. Open the settings.\n2. Press `Reset` twice.\n"
        "3. Look at the console."
    ),
    "numbered answers": (
        "1. yup, known and fine\n2. Windows comes later. No locking until then.\n"
        "3. Yes! That is a real problem and must be fixed.\n4. test it"
    ),
    "a review that is all there is": (
        'The label is misleading. It says "unchanged" but counts added lines (stats.py:40). The '
        'label should be renamed to "added".'
    ),
    "an order after a statement": (
        "yup, I removed the draft.\n\nRead the plan again from top to bottom and consider whether "
        "it still holds (plan.md:12)."
    ),
    "definitions": (
        "we really need to fix our words\n\npass == one run of the job\nclosing == what ends up "
        "in the table\n\nnote that down"
    ),
    "a thought about a reviewer": (
        "The reviewer is right about the lock. I would keep the timeout though. It has saved us "
        "before."
    ),
}


@pytest.mark.parametrize(("text", "own"), OTHERS.values(), ids=OTHERS)
def test_another_hands_text_is_not_the_users_word(text, own):
    assert own_words(text).split("\n") == own
    assert "paste" in {block.kind for block in blocks(text)}


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_what_the_user_wrote_stays_the_users_word(text):
    assert "paste" not in {block.kind for block in blocks(text)}


@pytest.mark.parametrize("text", [text for text, _ in OTHERS.values()], ids=OTHERS)
def test_an_agents_text_is_never_taken_apart_like_that(text):
    assert "paste" not in {block.kind for block in blocks(text, typed=False)}


def test_a_paste_keeps_its_markers_and_gives_no_sentence():
    text = OTHERS["a point that is answered below it"][0]
    found = blocks(text)
    (paste,) = [block for block in found if block.kind == "paste"]
    assert text[paste.start : paste.end].startswith("- Memory vs.")
    assert all(found[sentence.block].kind != "paste" for sentence in sentences(text, found))
