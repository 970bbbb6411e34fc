"""Sentences that look like an answer, a rule or a correction, and are none."""

import pytest

from ctxd.extract.acts import acts

BINDING = {"approve", "choose", "refuse", "correct", "constrain", "decide", "scope", "defer"}

NEVER = {
    "refuse correct": """
        no idea, what do you think?
        no, what does the second flag do?
        no problem
        no worries
        no rush
        no wonder it was slow
        no doubt
        no clue why that is
        nothing else
        nothing more, thanks
        not sure
        not sure what that means
        never mind
        don't worry
        don't worry about it
        don't get me wrong, it looks fine
        actually nice
        actually that works
        actually I like it
        stop me if I'm wrong
        is there no way to see the log?
        are we not done?
        why not?
        not bad
        not only that, the docs are good too
        no errors so far
        no change on my side
        I have no objection
        I reverted the commit on my branch already
        did you drop the table?
        why did the build drop the flag?
        what happens when I skip a step?
        how do I undo a commit?
        is it possible to roll back a release?
        can't stop laughing
        I removed the node_modules folder
        wait for the build to finish
        right, so what next
        the test checks that a wrong password is rejected
        you'll see it in the log
        there was no output
        """,
    "approve": """
        ok so what does X do?
        sure, why did it break?
        right now it fails
        great question
        good question
        great, commit it
        is that ok?
        does that look good to you?
        do you agree?
        right, the build is red again
        fine, but what about the tests?
        ok and where is that written?
        is it fine to skip the tests?
        yes but why?
        yes but no
        if it looks good, tell me
        it works on my machine
        I'm not sure that sounds good
        good morning
        what would be a perfect size?
        the exact number is 12
        ok next
        good luck
        can you do it?
        how would you do it?
        sure you can?
        cool down the cache first
        does it work for you?
        okay I see an error now
        """,
    "choose": """
        a bit
        a lot of work
        I think so
        2 more tests
        3 files changed
        python 3
        at 5 pm
        v2
        it took 2 seconds
        both tests fail
        all tests pass
        all good
        that's all
        is 2 a good default?
        a new file
        1 error left
        we have 3 options
        what's the difference between A and B?
        should we go with 2?
        which one is faster, A or B?
        first run the tests
        one more thing
        """,
    "constrain": """
        must be a bug in the parser
        it must have been the cache
        it should work now
        you should see an error
        we never got that far
        I never saw that message
        I always wondered how that works
        it always fails on the first run
        only then did it fail
        it only happens on windows
        I only changed one line
        there is only one file
        can't reproduce
        cannot find the file
        I don't know
        I don't see it
        they don't have an API
        it doesn't work without the flag
        I have to go
        it has to be a race condition
        do we have to restart it?
        does it always print that?
        why does it never finish?
        can you make sure?
        what is the maximum size?
        never mind
        nevermind, it was the cache
        don't worry
        keep going
        keep me posted
        it keeps failing
        I keep getting the same error
        not only that
        just to make sure, did you push?
        I must admit it looks good
        almost never
        you must be kidding
        as always, thanks
        did you make sure the tests pass?
        is it required?
        I can't remember
        it never finishes
        at least it compiles now
        """,
    "decide": """
        I want to understand how it works
        I'd like to know why
        let's see
        let me check
        it should work now
        you should see an error
        should be fixed now
        can you run the tests?
        could you explain that?
        let's commit
        let's continue
        let's go
        I wonder why it fails
        maybe it's a bug
        I think it's a caching problem
        I think the bug is in the parser
        maybe later
        """,
    "scope defer": """
        see you later
        I'll do that later today
        it came later than expected
        is that out of scope?
        what is an edge case here?
        I don't care how, just make it green
        did you ignore the error?
        who cares about the order here?
        """,
    "report": """
        fix the failing test
        it should never fail silently
        add an error message
        what does the error say?
        show an error when the file is missing
        never show a stack trace
        """,
}


def cases():
    return [
        (sentence.strip(), wrong)
        for names, sentences in NEVER.items()
        for sentence in sentences.strip().splitlines()
        for wrong in names.split()
    ]


@pytest.mark.parametrize(("sentence", "wrong"), cases())
def test_what_only_looks_like_an_act_is_none(sentence, wrong):
    assert wrong not in acts(sentence)
