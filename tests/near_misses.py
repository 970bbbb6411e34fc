"""Words that look like a correction or a refusal and are neither."""

NEAR_MISSES = [
    line.strip()
    for line in """
    no, is that the same file as before?
    no idea what that means
    no rush, take your time
    no problem at all
    no worries, that happens
    no wonder, the cache was cold
    no luck with the second one
    no errors any more
    no news from the vendor so far
    no doubt it is faster now
    no clue where that comes from
    don't worry about the warning
    don't worry, I have a backup
    don't we have a helper for that somewhere?
    don't you think the name is a bit long?
    don't I need to restart it first?
    don't get me wrong, I like it
    actually nice
    actually that looks great
    actually, what does the flag do?
    actually I think you are right
    wait, is that the production log?
    wait for the build and tell me when it's green
    stop me if I'm wrong, but isn't that cached?
    never mind
    nevermind, found it
    never seen that error before
    I never knew that existed
    not bad at all
    not sure I follow
    not that I know of
    not yet merged on my side
    nothing to add from my side
    nothing happens when I click
    wrong terminal, sorry
    wrong tab, ignore my last message
    the wrong password test is green now
    what's wrong with the build?
    is something wrong with the connection?
    the error is gone
    there is an error in the log, can you look?
    error: connection refused
    I get an error when I open the page
    the linter says: never use var
    it says "do not edit" at the top of the file, why?
    is it true that we never delete rows?
    do we never retry?
    why is it not green?
    can't you read the log from there?
    shouldn't that be cached already?
    I don't see it yet
    I don't remember which branch that was
    I can't reproduce it here
    it doesn't matter
    it didn't help, same result
    I undid the change on my machine
    I rejected the call, the phone rang
    the reviewer rejected the first version last week
    the server rejects the token
    I removed my local branch
    that's not what slows it down, is it?
    """.strip().splitlines()
]
