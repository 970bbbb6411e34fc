"""Cue phrases of English that count where a sentence or a clause begins, and its single words.

As people type to coding agents: lower case, clipped, hedged. What counts anywhere is in
`english_phrases`.
"""

from __future__ import annotations

from ctxd.extract.cues import Language
from ctxd.extract.cues.english_phrases import ANYWHERE

OPENING = {
    "yes": """
        yes; yep; yup; yeah; yea; ya; yess; yesss; aye; yas; yessir; yuup; yeh; yh; yis;
        (yes|yeah|yep|yup|oh|hell|heck) (yes|yeah|please|pls|sir|sure|exactly|absolutely|definitely|indeed);
        absolutely; definitely; certainly; totally; of course; ofc; agree; agreed; fully agree;
        agree with (you|that|this|all|both|the) (there|too|); 100 %; exactly; precisely; affirmative; indeed; by all means;
        why not (,|.|!|$); obviously; amen; deal; bingo; sold; please do; uh huh; mhm yes; true that; of course you can; as you (like|wish|want); makes sense; (that|it) makes sense; (good|great|nice|excellent|fine|better) (idea|call|plan|suggestion)
        """,
    "ok": """
        ok; okay; okey; oki; okie; k; kk; okk; okok; sure; sure thing; right; alright; all right; aight; fine; good;
        great; cool; nice; perfect; excellent; awesome; amazing; brilliant; fantastic; wonderful; lovely;
        beautiful; sweet; neat; super; correct; true; fair; fair enough; fair point; good one;
        (good|great|nice|excellent|fine) (point|catch|one|find|thinking|thought|stuff);
        (good|great|nice|excellent) (job|work); well done; very (good|nice); love it; (much|way|far|a lot|already|looks|looking) better;
        better (,|.|!|$); (that's|that is) (ok|right|correct|true|fair|it|the one); (you're|you are) right; (good|close) enough; works (,|.|!|$);
        thumbs up; all right then; ok then; okay then; fine then; not bad; even better
        """,
    "no": """
        no (,|.|!|:|..|-|$|no|nope|but|i|i'm|i'd|i'll|we|we're|you|you're|it|it's|its|that|that's|thats|this|these|those|they|there|there's|don't|do|just|keep|leave|let's|let|not|remove|use|revert|undo|put|make|please|pls|thanks|thank|thx|way|never|stop|wait|sorry|because|since|only|actually|then|go|what|as|my|our|if|sir|need|he|she|when|where|both|better|rather|take|try|instead|like|maybe|still|again|delete|drop|skip|add|and|or|so|too|really|thank|cause|cuz|bc|wrong|forget|read|look|i've);
        nope; nah; nay; naw; noo; nooo; noooo; nop; no (way|chance|need|thanks|thank you|thx); hell no; heck no; (absolutely|definitely|certainly|of course|please|god|probably|rather|better|maybe) (not|no);
        not (really|quite|at all|exactly) (,|.|!|$|no); not like (that|this); neither; none of (them|those|these|that|the above); i don't think so; don't think so; i doubt it; no no no; mehh; meh no
        """,
    "wait": """
        wait; wait wait; wait a (sec|second|minute|moment|bit|min); hold on; hang on; hold up; hold it; hold off; stop; stop (it|stop|please|now|there|right there|that|this|everything);
        halt; one (sec|second|moment|min|minute); just a (sec|second|moment|minute); slow down; whoa; woah; not so fast; pause; easy now; hold your horses; time out
        """,
    "filler": """
        oh; ooh; ah; ahh; aha; hm; hmm; hmmm; hmmmm; mm; mmm; mmmm; mhm; hmn; uh; uhm; um; umm; uhh; er; erm; eh; meh; well; so; and; but; or; also; now; then; anyway; anyways; though; besides; plus; again; lol; haha; hahaha; ha; heh; wow; oops; argh; ugh; ouch; hey; hi; hello; yo; look; listen; like; basically; honestly; seriously; frankly; tbh; imo; imho; afaik; personally; i mean (,|.|!); i guess; i think; i feel; i believe; ok (so|and|but|now|then); okay (so|and|but|now|then); right (so|and|but); well (then|ok|yeah|yes); and (then|so|also|now|again); but (also|then|still); so (then|now|yeah|yes); one (more|other|last|final) thing; one thing; another thing; last thing; ps; p; btw; by the way; fyi; next (,|:|up); first (,|of all|off); firstly; second (,|of all); secondly; third ,; thirdly; finally; lastly; at last; alternatively; similarly; in fact; for (this|that) (,|one); here (,|:); sorry; my bad; apologies; just; simply; maybe just; again ,; overall; in short; either way; in that case; on second (thought|thoughts); thinking about it; come to think of it; as a (last|first|next|final) step; for starters; to start; (quick|one|another|small|short|stupid|dumb|silly|general) question (:|,|); question :; note :; comment :; idea :; thought :; dude; man; bro; mate; guys; team; everyone; agent; still; yet; however; otherwise; meanwhile; today; actually (,|) (also|can|could|let's|lets|we|i think|maybe|now|one|just); ok one; right then; good morning; morning; good evening; hello again; hi again; i see; ah i see; oh i see; got it; understood; noted; interesting; funny; weird; strange; odd; hilarious; side note (:|,|); small (thing|note|nit); nit; nitpick; minor; important (:|,); reminder :; update :; edit :; correction :
        """,
    "correction": """
        actually; actually (no|not|it's|it is|that's|that is|they|the|this|we|i (meant|want|wanted|said)); technically; strictly speaking; to be (precise|exact|clear); not (that|this) one; not (true|correct|right) (,|.|!|$|the|there|at); wrong (,|.|!|$|file|one|branch|place|repo|way|direction|order|version|folder|directory|approach|again); incorrect; that's (wrong|incorrect|false); nope (,|) (it's|that's|it is|i|you|they|the);
        no (,|) (it's|its|it is|that's|that is|this is|they're|they are|you're|you are) (not|wrong|meant|the|still|only|in|on|already|about|a|an|because); no (,|) (i|we|you) (meant|mean|said|asked|wanted|need|didn't|already|misunderstood); no (,|) not _; but (it's|that's|this is|it is|isn't it|isn't that|i|you) (not|wrong|meant|mean|said|told|didn't|asked); huh (?|,) (that|this|why|it|i|no|but|the|we|you); i mean (the|that|this|in|on|for|with|not|those|these|a|all|only|just the|more|less); i meant; huh ,; you <past>; sure (you|we|it|they|there|i) (have|do|did|can|are|is|has|was); oh no; but the; (well|hm|hmm) that's not; (you|you've|we|we've) (already|) (have|had|got) (it|that|this|them|one|the) (already|before|.|,|$)
        """,
    "refusal": """
        revert; undo; skip (it|this|that|them|the|both|all|for|,|.|!|$|that one|this one); drop (it|this|that|them|the|both|,|.|!|$); scrap; scratch that; discard; ditch;
        forget (it|that|this|about|the); remove (it|this|that|them) (again|); take (it|this|that|them) (out|away|off|back) (again|); throw (it|this|that|them|the) (out|away);
        not (a|an) (good|great|big) (idea|plan|fan|option); bad idea; terrible idea; too (risky|complicated|complex|much|big|heavy|expensive|invasive|fancy|clever) (,|.|!|$|for|and|to|imo|i think); cancel; cancel (that|this|it|everything); abort; abort (that|this|it); leave it (,|.|!|$); leave it be; don't (,|.|!|$); don't do (it|that|this); (please|pls|no) don't (,|.|!|$); never (,|.|!|$); pass (,|.|!|$); reject; rejected; decline; declined; denied; veto; something (different|else) (,|.|!|$|please|then|instead)
        """,
    "later": """
        later (,|.|!|$|please|pls|maybe|on|then|perhaps|today); not (now|yet|today|right now|at the moment|this time) (,|.|!|$|please|pls|but|we|i|first|maybe|because|,); maybe later; another (time|day); some other (time|day); next time; tomorrow; tomorrow (,|.|$); not yet; one day
        """,
    "approval": """
        do (it|that|this|both|so|all of it|them|these|those) (,|.|!|$|please|pls|now|then|too|as well|both|the|and|if|but|like|this way|that way); do (,|.|!|$|please|pls); yes do; go (,|.|!|$|on then|ahead|on with it); fix (it|that|this|both|them|all) (,|.|!|$|please|pls|too|then); fix (,|.|!|$|both|all); make (it|them) (,|.|!|$|so|please|happen); yes fix; approved; accepted; (is|looks|sounds|seems) (fine|good|ok|okay|great|right|perfect) (,|.|!|$|to me|by me|with me|like this); implement (it|that|this) (,|.|!|$|please|pls|then); build (it|that|this) (,|.|!|$|please|pls|then); write (it|that|this) (down|up) (,|.|!|$|please|pls|and|then|in); actually (,|) (nice|good|great|fine|cool|ok|okay|yes|better|that works|that's (fine|good|better|ok|right)|i like|perfect|not bad); in it goes; bring it on; fire away; all of (that|it) (,|.|!|$|please)
        """,
    "question_word": """
        what; what's; whats; what're; why; why's; how; how's; hows; how (much|many|long|often|come|so|exactly|else|do|does|did|can|could|would|should|is|are|was|were|will); when (is|are|does|do|did|was|were|will|can|should|has|have|would); where; where's; wheres; which; who; whose; who's; whats;
        is (it|this|that|there|the|a|an|our|your|my|any|he|she|everything|one|anything|something|_); isn't; are (we|you|they|there|these|those|the|any|all|our|your|both|_); aren't; was; were; wasn't; weren't; do (we|you|they|i|these|those|users|people); does; doesn't; did; didn't; don't (we|you|they|the); has; have (we|you|they|there|i); hasn't; haven't (we|you|they|i); had (we|you|i|it|they); hadn't; will (it|this|that|there|they|the|you be|we|users|i); would (it|this|that|there|they|the|we|you|a|an); can (i|it|this|that|they|users|someone|anyone|anybody|one|the|a|people|there|these|those|u see|you see); can't (i|it|you|we|they|users|one|the|this|that); could (it|this|that|there|they|i|the|someone|these|those); couldn't (it|this|that|we|you|i|the); should (it|this|that|there|they|the|users|a|these|those|one); shouldn't (it|this|that|there|they|the); am i; any (idea|ideas|reason|news|update|updates|thoughts|chance|way|luck|other|progress|risk|risks|downside|downsides|difference|opinion|objections|side|issues|concerns); anything; anyone; wdyt; thoughts; opinions; opinion; really; curious; ever; since when; for what; to what; in what; with what; and (the|what|how|why|where|who|which|does|is|did|if|when|will|can); so (what|how|why|where|who|which|is|does|did|are|do|will|if); or (is|are|does|do|did|will|was|what|how); isn't (it|that|this|there|the); whatever happened; what about; what's (up with|with|the|this|that|left|next|new|missing|going|wrong|your)
        """,
    "suggestion": """
        how about; what about (using|just|having|making|adding|a|an|if|the|we|something|one|only|putting|calling|showing|instead); what if; what if (we|you|it|i|the|there|they|users|a|that|this);
        why (don't|not|can't|couldn't|shouldn't|aren't|wouldn't) (we|you|just|simply|i|it|the); why not (just|use|do|make|have|put|keep|simply|call|let|go|the|a|add|show|instead|both|_); shouldn't (we|you); maybe; perhaps; could be; would be; (maybe|perhaps) (we|you|it|a|the|use|make|i|that|this|there|instead|better|call|only|rather|something|one|add|also|put|keep|more|with|in|no|an|some|both|for|show|have); or (maybe|perhaps|just|we|rather|instead|simply|even|better|use|make|keep); can (it|this|that|the|there|they|these) (be|just|also|simply|have|show|use|go|not|stay|get|always|only|all|still); could (it|this|that|there|the|they|these) (be|just|also|simply|have|show|use|go|not|stay|get|always|only)
        """,
    "deliberation": """
        should (we|i rather); do we (want|need|really|even|actually|have to|still need|also need|also want); do you (really|even) need; would (it|that|this) (be|make|help|work|do|not|still); would you (rather|say|recommend|suggest|prefer|keep|use|put|do it); is (it|that|this|there) (not|) (better|easier|simpler|worth|enough|really necessary|necessary|needed|overkill|too|ok|okay|fine|good|a good|sufficient|a better|an easier|a simpler|any way|a way|some way); isn't (it|that|this|there) (better|easier|simpler|enough|overkill|a bit|too|a better|an easier|a simpler|a way|nicer|more); wouldn't (it|that|this|we|a|an|the) (be|make|want|have|need|rather|also); must (we|it|this|that|the); need (we|it|this); are we (sure|really|okay|ok|better off); does it (make sense|have to|need to|really|even|matter)
        """,
    "thanks": """
        thanks; thank you; thx; ty; cheers; tysm; thanks (a lot|so much|again|man|a bunch|for _); thank you (so much|very much|for _); many thanks; kudos; appreciated; appreciate it; great question; good question; nice question; no worries; no problem; no probs; np; no sweat; no rush; no hurry; all good; we're good; it's fine (,|) no; don't worry; dont worry; no biggie; you're welcome; welcome; my pleasure
        """,
    "idiom": "you (said|mentioned|wrote|asked|suggested|proposed|recommended|listed|showed|described|found|made|want|wanted)",
    "background": """
        i (just|already|recently|only|had|was|did|used to|have|ran|tried|merged|pushed|rebased|updated|changed|moved|added|removed|deleted|installed|restarted|started|opened|closed|saved|noticed|found|got|saw|went|made|fixed|set|put|asked|talked|spoke|read|looked|wrote|created|reverted|tested|checked|committed|deployed); i've; we (just|already|recently|had|used to|were|have been|did|also have); previously; earlier; this is (the|a|an|what|from|how|my|our); here (is|are); here's; here're; so far; context (:|,); i'm (working|trying|looking|using|on|running|getting|seeing|in|at|building|writing|testing); i am (working|trying|looking|using|on|running|getting|seeing|in|at|building|writing|testing); (we're|we are) (working|trying|using|on|running|getting|seeing|building|writing); we have (a|an|this|these|some|two|three|the|now|currently|already); there (is|are|was|were); there's; theres; currently; right now (,|we|i|the); at the moment (,|we|i|the); (got|found|saw|tested|tried|flashed|saved|ran|restarted|merged|pushed|deployed|updated|installed|opened|closed|changed|rebased|reverted|checked|reloaded|rebooted) (it|this|that|the|a|an|everything|them|,|and|in|on|my|again|with); tested; just (got|found|saw|tested|tried|ran|restarted|merged|pushed|deployed|updated|installed|noticed|checked|did|had|finished)
        """,
}

CLAUSE = {
    "order": """
        commit; push; pull; merge; rebase; squash; cherry pick; run; rerun; re run; test; retest; retry; try; deploy; restart; reload; check; recheck; verify; look; read; reread; open; close; start; show; print; review; investigate; debug; find; search; grep; build; rebuild; compile; install; update; upgrade; publish; release; tag; fix; implement; write; create; add; draft; generate; execute; kick off; begin; stash; fetch; clone; checkout; check out; finish; resume; redo; do (the|another|a|an|your|all|some|one|cargo|next|_); give (me|us|it|him); help; help me; send; post; upload; download; clean; clean up; format; lint; spin up; think (about|of|again|hard|through|harder); analyze; analyse; figure out; dig; repair; sort; go (through|to|over|into|and|check|look|back|ahead and|fix|on with); reply; answer; respond; edit; ask; file; port; sync; wire; document; demo; prepare; scan; profile; measure; benchmark; trace; log; monitor; wait; get; bring; take a look; have a (look|go); bump; assign; move on; pick (up|it); finalize; plan; research; study; compare; confirm; double check; sanity check; trigger; simulate; replay; translate; refactor; clear; mark; attach; comment; copy; launch; boot; start up; shut down; kill; connect; configure; set up; setup; scaffold; enable debug; tell (him|her|them|the); save; dump; export; import; resolve; solve; address; tackle; continue (with|from|on|to|the); proceed (with|to); start (with|from|on|over|by|a|the)
        """,
    "design_order": """
        use; rename; call (it|them|this|that|the|these|those); name; make; put; move; replace; swap; switch; change; drop (the|all|any|_); remove; delete; set; turn; split; combine; separate; store; return; default; treat; allow; support; hide; expose; prefer; stick; go back; limit; cap; restrict; simplify; inline; extract; align; let; convert; include; exclude; disable; enable; reuse; wrap; handle; ignore; require; cut; strip; throw; display; have; have (the|it|a|an|them|this|one|each|all); take; take (the|a|only|just|it|that|out); break (it|this|the|up|that); merge (the|these|those) (two|three|files|sections|tables); add (a|an|the) (flag|option|column|field|setting|button|parameter|argument|switch|section|check|default|limit); shorten; lower; raise; increase; decrease; reduce; shrink; enlarge; widen; center; centre; color; colour; round; sort by; group by; order by; encrypt; cache; persist; validate; render; draw; place; position; collapse; flatten; unify; standardize; deduplicate; dedupe; retire; deprecate; introduce; adopt; choose; pick (a|an|the|one|_); leave; state; mention; describe it; say; list (the|all|only); record; mock; trim; truncate; bake; go (with|for|by|from|without|straight); start (small|simple)
        """,
    "inquiry": """
        (i'd|i would|i|we|would) (want|like|love|need|wanna) to (know|understand|learn|hear); explain; describe; elaborate; clarify; summarize; summarise; recap; remind me; tell me; tell us; show me; walk (me|us); give (me|us) (a|an|the|some|your|all|more) (overview|summary|list|example|examples|status|idea|options|details|context|opinion|take|rundown|recap|info|information); list; what (is|are|does|do|did|was|were|would|will|happens|happened|about|exactly|else|if|s); why; how (does|do|did|is|are|can|could|would|should|will|come|many|much|long); where (is|are|does|do|did); which (one|ones|of|file|option); who (is|are|does|did)
        """,
    "limit": "only; just (the|one|two|a|those|these|that)",
    "pick": "both (,|.|!|$|please|pls|then|and|are|is|sound|work)",
    "navigation": "keep <ing>",
    "prohibition": "no; none of; zero; nothing (should|may|must|is|from|in|on|more|else); never; don't; do not; never ever; stop <ing>; quit <ing>",
    "approval": """
        ship it; merge it (,|.|!|$|then|now|please); like (it|that|the idea|your idea|this) (,|.|!|$); go ahead; go for (it|this|that|both); make it so; make it happen; please do (,|.|!|$|so|it|that|this); please (proceed|go ahead); bake it (in|); send it (,|.|!|$); hit it; approve; accept; confirm (,|.|!|$)
        """,
    "keep": """
        keep; keep (it|this|that|them|the|these|those|_) (as|the way|like) (is|it is|they are|it was|that|before|now); leave (it|this|that|them|the|these|those|_) (as|the way|like) (is|it is|they are|it was|that|before|now); preserve; retain; maintain; stay (with|on|at|in|within|compatible|consistent); stick (to|with)
        """,
    "polite": """
        please; pls; plz; kindly; (can|could|would|will) (you|u); (can|could|would) (you|u) (please|pls|just|also|now|then|quickly|maybe|again|first|perhaps|instead|at least|try to|help me|make sure to); would you mind; do you mind; i need you to; i want you to; i'd like you to; i would like you to; you (can|could|may|should|might) (now|also|just|then|please|go ahead and|already|probably|still|want to|as well|even); you (can|may); go ahead and; feel free to; go and; try to; you need to (just|now|please); you (have|got) to; i'd need you to; i need (u|ya) to; now (please|also|just|you can|let's|lets|can you|i want you to); then (please|also|just|you can|let's|lets|can you); make sure (you|to) also; don't forget to (also|); remember to
        """,
    "wish": """
        let's; let us; lets; (let's|lets) (just|also|now|first|then|maybe|rather|at least|instead|still|simply|quickly|please|start by|try to|see if we can|actually); can (we|i|u); could we; can (we|i) (just|also|maybe|please|now|then|instead|at least|still|simply|somehow|perhaps|actually|rather|make sure); could we (just|also|maybe|please|now|then|instead|at least|still|simply|somehow|perhaps|actually|rather); i want (to|); i'd like (to|); i would like (to|); i'd love (to|); i would love (to|); i wanna; we want (to|); we'll; we will; let me; wanna; want to; i'd (also|still) (like|want) (to|); i (also|really|still|just|only) (want|need) (to|); i wish; it would be (nice|good|great|cool|helpful|better|best|useful|ideal|awesome) (if|to|when) (we|you|it|i|could|can|the|there|_); would be (nice|good|great|cool|helpful|better|best|useful) (if|to) (we|you|it|i|could|_); would love (to|); i hope; hopefully; ideally
        """,
    "instead": "not (the|a|an|in|on|from|to|for the|with|by|at|those|these|my|your|just|only|as|via|like) _",
}

WORDS = {
    "label_word": "b c d e f g h both all neither none second third former latter option",
    "negation": "not no none nothing never without neither nor cannot can't cant don't dont doesn't doesnt didn't didnt isn't isnt aren't arent wasn't wasnt weren't won't wont wouldn't wouldnt shouldn't shouldnt couldn't couldnt haven't havent hasn't hasnt nobody nowhere nope nah hardly ain't mustn't w/o",
    "first_person": "i i'm i'd i'll i've im ive me my mine we we're we'd we'll we've us our",
    "agent_addressed": "you your you're youre you've youve you'd you'll yourself u ur",
    "operation": "commit commits committed push pushed pull merge merged rebase rebased squash cherry-pick run rerun running test tests retest try retry deploy deployed deploying restart reload continue proceed check recheck verify start next step task item phase begin open pr mr ready draft review branch main ci pipeline install build rebuild go implement fix resume publish release dig look investigate stash fetch clone checkout",
    "design": "use using rename renamed default defaults format name naming named called call keep drop remove replace approach option behaviour behavior architecture structure schema api interface field column flag config setting separate separately version style layout color colour button text wording library dependency dependencies convention pattern design ux ui semantics instead rather prefer scope record capture spec simple simpler simplest acceptable sufficient enough split combine store hide expose limit size font width height label title key keys prefix suffix type types path folder place order fallback optional required explicit implicit",
    "evaluation": "better best nicer nice cleaner simpler clearer easier good great bad worse worst ugly noisy confusing weird strange odd boring annoying clunky awkward cluttered verbose elegant clean neat messy hacky brittle fragile solid fine enough sufficient readable unreadable overkill bigger smaller shorter longer faster slower less more important useful useless helpful perfect terrible awful horrible silly stupid pointless unnecessary redundant misleading inconsistent intuitive cool love hate wordy technical complicated overloaded busy dark bright tiny huge complex simple pretty lovely fun",
    "contrast": "but however though although yet still whereas tho",
    "condition": "if unless when whenever depends depending provided assuming until till",
}

STARTERS = "and then please pls now also just so but or to first instead & + only we should and/or simply maybe perhaps"

LANGUAGE = Language(OPENING, CLAUSE, ANYWHERE, WORDS, STARTERS)
