"""What one sentence of the user's does."""

import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxd.extract.acts import Act, acts, cues
from ctxd.extract.cues import NAMES

SHOWN = {
    "approve": """
        yes
        yup
        yep, do that
        yes please
        sure
        ok
        ok, thanks
        okay do it
        go ahead
        go for it
        do it
        do both
        make it so
        ship it
        merge it
        lgtm
        sgtm
        LGTM 👍
        +1
        👍
        sounds good
        sounds good to me
        looks good, thanks
        oh nice, let's do that
        hmm ok
        ok let's do it
        great, go with your suggestion
        agreed
        agreed, the hook is the right place
        perfect
        exactly
        yes, that's what I want
        that works
        works for me
        fine by me
        no objections
        i like it
        I like that approach
        yeah I love the idea
        that's fine
        well that's better
        makes sense, go on
        fair enough
        good idea
        good call
        yes let's do it
        yes, and add a note to the docs
        yep can you also update the readme?
        absolutely
        as you suggested
        please do
        please go ahead
        yes fix
        fix it
        yes, your recommendation
        I agree
        of course
        by all means
        ja ok sounds good
        no, that's fine
        we can live with that
        """,
    "choose": """
        A
        B.
        2
        2!
        yup, A
        option 2
        option B please
        Option C, but with a smaller cache
        I'd go with 2
        go with B
        let's go with 1
        let's do A and D
        3 is better
        both
        both please
        yes both
        the second one
        the first option
        second one
        I prefer B
        I like 3 better
        i'd pick the last one
        all of them
        neither
        none of them
        the latter
        hm I think number 2 fits better
        2 yes!
        1 and 3, not 2
        the simpler one
        either one
        go for the hybrid approach
        a
        b, since it needs no migration
        """,
    "refuse": """
        no
        nope
        nah
        nah roll that back
        nah, let's not
        no, remove this again, the risk is too big
        no thanks
        no way
        let's not
        let's not do that here
        don't do that
        revert it
        undo that please
        please revert the last change
        roll it back
        get rid of the wrapper
        scrap that
        drop it
        skip it
        I don't like this
        i don't want a new dependency for that
        we don't need another table
        not a fan of the decorator
        I'd rather not
        that's overkill
        can we not do that
        could you not add comments everywhere
        no need
        bad idea
        forget it
        forget about the cache
        not worth it
        I'd skip the wizard
        too risky
        remove it again
        neither of these, no
        put it back
        throw it away
        something different please
        nah that's too complicated
        no it should stay where it is
        yeah nah
        I'd rather you didn't
        """,
    "correct": """
        that's not what I meant
        hmm that's not what I meant
        no, I meant the other file
        actually it's the staging server
        no it's the third argument
        you forgot the tests
        you missed one call site
        you deleted my comment
        that's wrong
        wrong branch
        that's the wrong file
        did you read the file?
        did you even run it?
        why did you rename it?
        why are you editing generated files
        I said tabs
        I told you to leave main alone
        you should have asked first
        you were supposed to ask before pushing
        it is supposed to be a warning
        read the spec first
        didn't we agree on one file?
        not true, the hook runs twice
        you're looking at the wrong log
        no, that's not how the cache works
        that endpoint doesn't exist
        as i said, the key is optional
        i was talking about the client
        actually no, the limit is 50
        you keep adding comments
        """,
    "constrain": """
        never commit to main
        don't touch the public API
        do not rename the columns
        please don't add dependencies
        always run the linter before you commit
        from now on ask before you delete anything
        make sure it stays under 50 ms
        it must work offline
        it has to run on Python 3.9
        the output must never contain a key
        only use the standard library
        keep the old flag working
        keep it as is
        leave the readme as is
        at most three retries
        no new dependencies
        no blinking please
        and no dashes please
        stop adding comments
        every test should have a docstring, as a rule
        in general we use tabs
        we never mock the database
        we don't use semicolons here
        you must not log the token
        dont push without asking
        it needs to be backwards compatible
        avoid global state
        must not block the main thread
        ensure that the file is closed
        whenever you add a flag, document it
        users should never see a stack trace
        the config may not change at run time
        there must be no network access in tests
        nothing should be written outside the cache folder
        hands off the lock file
        stay within the budget
        """,
    "decide": """
        let's use tabs
        use tabs instead of spaces
        use sqlite rather than a json file
        rename it to worker
        call it worker
        make it 3 columns
        I'd rather have one file
        I prefer one command
        we should split this
        can we rename the flag?
        could we use a set here?
        what if we keep both files?
        why don't we store it in the database?
        how about a simple lock file?
        maybe just use a counter
        maybe we can merge the two
        shouldn't we cache that?
        should we drop the old flag?
        it should be blue
        the list should be sorted by date
        I want the button on the left
        i'd like a dark mode
        I think we need an index on that
        put the config in the home folder
        store it as json
        hmm wouldn't it be simpler with a queue?
        or maybe a dict?
        would it make sense to cache the result?
        can it be a constant?
        i wonder if we could skip the second pass
        ideally it would be one query
        move the check into the parser
        return None when nothing is found
        default to 30 seconds
        could be pairs?
        we'll go with postgres instead
        have it return a tuple
        let's make that a warning
        the simplest would be better
        I'd say one per host
        """,
    "scope": """
        out of scope
        that's out of scope for this PR
        not in this PR
        edge case we don't care about
        don't worry about windows for now
        ignore the old clients
        no TUI yet
        no tests for now
        leave it for the next release
        separate PR
        let's do that in a follow-up
        that's a nice to have
        good enough for now
        we don't support IE
        we won't support that
        doesn't matter for us
        only touch the parser
        leave that out
        that can wait, the rest can wait
        park it
        we don't need to handle that
        just for now
        phase 2
        yagni
        keep it simple, focus on the import
        let's not worry about it now
        tests can wait
        stay out of the vendored folder
        """,
    "defer": """
        later
        later please
        not now
        not yet
        maybe later
        park it
        add it to the backlog
        open an issue for that
        file a ticket for the flaky test
        put it on the list
        todo: check the encoding
        let's revisit that after the release
        remind me to bump the version
        next sprint
        keep that in mind
        another time
        let's postpone the migration
        we come back to it
        note that down
        tomorrow
        """,
    "ask": """
        what does this do?
        ok so what does X do?
        why is it slow?
        sure, why did it break?
        how do I run this?
        is that the right file?
        does it handle unicode?
        where is the config read
        which tests failed?
        explain the second step
        can you explain what the lock does?
        could you show me how the flag is used?
        what do you think?
        I don't understand the second point
        what do you mean?
        tell me more about option 2
        so is it safe?
        do we have a table with the statuses?
        any news?
        and what happens on a timeout?
        great question, what do you think?
        give me an overview of the module
        no idea, what do you think?
        are there callers that pass None
        """,
    "report": """
        it fails with a timeout
        still broken
        it works now
        tests pass
        i get an error
        i see two entries in the list
        same error again
        I restarted the server
        right now it fails
        can't reproduce
        it should work now
        you should see an error
        we never got that far
        must be a bug in the parser
        only then did it fail
        nothing happens
        the build failed
        it has to be a race condition
        i just merged the other PR
        this is the output of the last run
        now it says permission denied
        looks like a caching problem
        I tried it twice
        it always fails on the first run
        should be fixed now
        """,
    "command": """
        commit
        commit and push
        run the tests
        please run the tests again
        can you check the logs?
        could you open a PR
        now rebase on main
        rebase on main please
        great, commit it
        let's run it once more
        continue
        keep going
        go on
        next
        ok next
        restart the server
        fix the failing test
        write a test for that
        look at the diff again
        push it and deploy
        then update the changelog
        wait
        hold on
        stop
        take a look at the log
        start with the parser
        """,
}


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def shown():
    return [(act, sentence) for act, text in SHOWN.items() for sentence in lines(text)]


@pytest.mark.parametrize(("act", "sentence"), shown())
def test_an_act_is_seen_in_the_ways_people_type_it(act, sentence):
    assert act in acts(sentence)


def test_each_act_but_other_has_its_sentences():
    assert set(SHOWN) | {"other"} == set(get_args(Act))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("no, use the other table instead", {"refuse", "decide"}),
        ("yup, A", {"approve", "choose"}),
        ("great, commit it", {"command"}),
        ("no idea, what do you think?", {"ask"}),
        ("never push to main, and rebase first", {"constrain", "command"}),
        ("not now, open a ticket for it", {"defer"}),
        ("the weather is mild", {"other"}),
        ("hm", {"other"}),
        ("", {"other"}),
    ],
)
def test_a_sentence_may_do_several_things_at_once(sentence, expected):
    assert acts(sentence) == expected


@pytest.mark.parametrize("word", ["no,", "yes,", "ok", "nope", "sure", "agreed"])
def test_an_opener_answers_only_at_the_start_of_a_message(word):
    assert acts(f"{word} the lock file stays") & {"approve", "refuse"} or word in {"ok", "sure"}
    assert not acts(f"{word} the lock file stays", opening=False) & {"approve", "refuse"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("dont touch the api", "don't touch the api"),
        ("DON'T TOUCH THE API", "don't touch the api"),
        ("don’t touch the api", "don't touch the api"),
        ("**don't** touch the api!!", "don't touch the api"),
        ("lets not", "let's not"),
        ("thats not what i meant", "that's not what I meant"),
    ],
)
def test_how_it_is_typed_does_not_matter(typed, meant):
    assert acts(typed) == acts(meant)


@pytest.mark.parametrize(
    "sentence",
    [
        "see `never push` in the docs",
        "see docs/never/push.md",
        "see --no-verify",
        "see read_only",
        "see https://example.org/do-not-use",
        "see Module.always.only",
    ],
)
def test_words_inside_code_are_not_the_users(sentence):
    assert acts(sentence) == acts("see X")


@pytest.mark.parametrize(
    ("sentence", "cue"),
    [
        ("from now on we squash", "permanence"),
        ("revert the last one", "rollback"),
        ("because the risk is too big", "reason"),
        ("except on windows", "exception"),
        ("maybe a dict", "hedge"),
        ("I wonder if that helps", "musing"),
        ("should I commit?", "operation"),
        ("should we rename the flag?", "design"),
        ("the other agent is fixing these", "delegation"),
        ("for example a queue", "example"),
        ("any more questions?", "navigation"),
        ("thanks!", "thanks"),
        ("I don't understand the second one", "confusion"),
        ("way too noisy", "complaint"),
        ("whatever you prefer", "indifference"),
        ("why do you keep doing that?!", "reproach"),
        ("look at `main.py`", "code"),
        ("12 of them", "number"),
        ("option B", "label"),
        ("shall I push?", "offer"),
        ("last week it was red", "background"),
    ],
)
def test_finer_cues_are_told(sentence, cue):
    assert cue in cues(sentence)


@given(st.text(max_size=80), st.sampled_from(["en", "de", "fr", "ru", "zh", "ja", "und", "xx"]))
def test_any_text_has_known_acts_and_cues(text, language):
    seen = acts(text, language)
    assert seen
    assert seen <= set(get_args(Act))
    assert "other" not in seen or len(seen) == 1
    assert cues(text, language) <= set(NAMES)


@given(
    st.lists(
        st.sampled_from(
            [
                "no",
                "yes",
                ",",
                ".",
                "?",
                "don't",
                "never",
                "$",
                "_",
                "<past>",
                "`",
                "A",
                "2",
                "let's",
                "the",
                "must",
                "be",
            ]
        )
    )
)
def test_words_in_any_order_never_raise(words):
    assert acts(" ".join(words))


@pytest.mark.parametrize(
    "piece", ["a", "no ", "don't ", "`", "(", "1. ", "?", ".", "如", "é", "'", "-1"]
)
def test_hostile_input_takes_no_time(piece):
    sentence = piece * (100_000 // len(piece))
    start = time.process_time()
    for code in ("en", "fr", "zh"):
        acts(sentence, code)
        cues(sentence, code)
    assert time.process_time() - start < 0.5
