"""Words around the options that an answer picks, in all languages at once: answers are short, and
their writers mix languages freely."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPENING = _set(
    "yes yep yup yeah ya ok okay k sure right great good cool nice perfect fine alright no nope nah well hmm hm oh so and then "
    "please pls just definitely probably maybe think i'd i'll i i'm say let's lets going go agree agreed , - ( ) \" ' * : also def"
)
"""Words that may stand before a label without making it anything else."""

LEADING = _set(
    "with for prefer choose pick take do vote like want select picking choosing taking use is= favor favour leaning towards"
)
"""Words after which a lone letter or number is a label."""

DROPPING = _set("not except without skip drop minus excluding but-not")
"""Words after which an option is one that is not wanted."""

STOPS = _set(". ! ; ? but")
"""Where a new statement begins."""

JOINING = _set("and & + , / plus also then with+")
"""What stands between the options of a list."""

ARTICLES = _set("the my")

KINDS = _set(
    "option options choice approach variant version alternative number no. # one ones solution plan proposal suggestion candidate design answer idea way"
)
"""What an option is called."""

NUMBERS = {
    word: str(value) for value, word in enumerate("one two three four five six seven eight nine".split(), 1)
}

ORDINALS = {
    "first": "1", "1st": "1", "former": "1",
    "second": "2", "2nd": "2",
    "third": "3", "3rd": "3",
    "fourth": "4", "4th": "4",
    "fifth": "5", "5th": "5",
    "sixth": "6", "6th": "6",
    "last": "*last*", "latter": "*last*",
}

GROUPS = {
    "both": "*both*",
    "all": "*all*", "everything": "*all*",
    "neither": "*none*", "none": "*none*",
}

OF_THEM = _set("of them those these it the above three two four options")

JUDGING = _set("is are sounds sound looks look seems feels fits would")
PRAISE = _set("better best fine good ok okay the it right my what great nice perfect simpler cleaner us me like more a good enough be most acceptable cool preferable")
"""What follows a label and a verb of judging where the label was picked."""

TRAILING = _set(
    "and & but with please pls is are sounds sound looks seems works work then for because since first if too though although however i it that "
    "yes yep yup ok so let's lets definitely makes would instead only sure thanks now again obviously makes we better best"
)
"""Words that may follow a label without it counting them."""
