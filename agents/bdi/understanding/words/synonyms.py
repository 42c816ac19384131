"""Verbs that mean the same, whichever tool declares one of them: to “track down” is to find, to “relabel” to rename.

A tool declares how its commands are said; nobody can declare every word of a language for each of them. Here verbs
stand by what is done, taken from the language and not from any text: a way of saying a command that knows the first
verb of a group knows the others too, at a cost, so that what a tool declares itself always outranks them.
"""

from __future__ import annotations

from collections.abc import Mapping

_GROUPS: Mapping[str, str] = {
    "show": (
        "put up, flash up, pop up, bring … up, pull … up, call … up, let … have a look at, let … take a look at, "
        "let … peek at, reveal, exhibit, glance at, have a glance at, take a glance at, peek at, have a peek at, "
        "take a peek at, have a peek into, peruse, skim, skim through, leaf through, eyeball, spit out, give … a "
        "view of, give … a look at, get a look at, be interested in, be curious about, be keen on seeing, spell "
        "out, present, visualize, need to look at, like to look at, want to look at, want to check, need to check"
    ),
    "go to": (
        "hop to, hop into, hop over to, hop onto, head to, head over to, head for, jump over to, jump onto, move "
        "over to, skip to, skip over to, pop over to, slip into, switch over to, cross over to, flip to, flip "
        "over to, swap to, swap over to, get over to, take … over to, bring … over to, carry on in"
    ),
    "go into": (
        "dive into, drop into, pop into, slip into, climb into, crawl into, walk into, wander into, sink into, "
        "drill into, drill down into, drill down to, settle in, settle into, take … into, bring … into, lead … "
        "into, put … into, let … work in, let … work inside, let … work from, carry on in, continue in, set up "
        "camp in"
    ),
    "create": (
        "establish, put together, knock together, knock up, whip up, rustle up, throw together, craft, construct, "
        "provision, furnish, bring … into being, bring … into existence, conjure up, spawn, erect, fabricate"
    ),
    "delete": (
        "wipe out, wipe away, wipe off, rub out, clear away, clear off, clear out, weed out, root out, cut out, "
        "take away, take … away, chuck, chuck … out, chuck … away, chuck out, chuck away, toss out, toss … out, "
        "toss away, toss … away, bin off, junk, axe, zap, kill off, expunge, obliterate, annihilate, eradicate, "
        "shred, dump in the bin, throw in the bin, throw into the bin, put … in the bin, put … into the bin, put "
        "… in the trash, put … into the trash, move … to the bin, move … to the trash, send … to the trash, send "
        "… to the bin, see … gone, like … gone, want … deleted, want … removed, need … deleted, need … removed"
    ),
    "move": (
        "reposition, rehouse, resettle, transplant, transport, convey, haul, lug, shove, shunt, tuck, park, "
        "stash, stow, deposit, carry, carry over, bring over, file away, dump, throw, toss, chuck, plonk, sling, "
        "remove to, pop … into"
    ),
    "rename": (
        "relabel, rechristen, christen, rebrand, dub, baptize, re-title, give … the new name, give … the name, "
        "give … a new name, swap the name of, set the name of, update the name of, alter the name of, make the "
        "name of"
    ),
    "copy": (
        "reproduce, photocopy, xerox, save … a copy of, put … a copy of, put a duplicate of, place a duplicate "
        "of, take a duplicate of, get a duplicate of, keep a duplicate of, like a copy of, like a duplicate of, "
        "have a duplicate of, want a second copy of, need a second copy of, make a second copy of, want another "
        "copy of, need another copy of, make another copy of, create another copy of, make an exact copy of, make "
        "a clone of, create a clone of, take a clone of, put a backup of, keep a backup of, save a backup of, "
        "store a backup of, get a backup of, like a backup of, have a backup of, make a safety copy of, make a "
        "security copy of, make a spare copy of, keep a spare copy of, add a copy of, deposit a copy of, stash a "
        "copy of"
    ),
    "write": "jot down, note down, scribble, pen, key in, type in",
    "append": "tag on, tack … on, add on, stick … on, pin, pin … on, tag … on, affix",
    "find": (
        "track down, track … down, trace, hunt down, hunt … down, chase down, chase up, dig up, dig out, dig … "
        "out, ferret out, sniff out, seek out, pin down, pinpoint, spot, unearth, uncover, figure out where, find "
        "out where, work out where, have a look for, have a hunt for, go looking for, be looking for, where have "
        "… gone, where did … go, where do … hide, where be … hiding, where be … kept, where be … stored, where "
        "be … located, where can … get, where would … be, where might … be, know where, any idea where, any clue "
        "where, remember where, forget where"
    ),
    "search for": (
        "scour for, comb for, trawl for, fish for, forage for, rummage for, dig for, keep an eye out for, have a "
        "look for, run a search for, make a search for, perform a search for, where do … come up, where do … show "
        "up, where do … turn up, where do … crop up"
    ),
    # These ask for what stands in files, and not for files of that name.
    "grep": (
        "who call, who import, who mention, who reference, what use, what call, what import, which file import, "
        "which file reference, which file refer to, which module use, which module import, which module call, which "
        "code use, which code call"
    ),
    "summarize": (
        "boil … down, distil, distill, sum … up, encapsulate, synopsize, recapitulate, precis, give … the gist "
        "of, give … the essence of, give … the highlights of, give … the core of, give … a digest of, give … a "
        "recap of, give … a rundown of, give … a rundown on, give … a synopsis of, give … a precis of, give … a "
        "quick summary of, give … a short summary of, give … a brief summary of, give … the key points of, give … "
        "the key points from, give … the main points from, give … the main points in, give … the key points in, "
        "what be the key points of, what be the key points in, what be the key points from, what be the main "
        "points from, what be the highlights of, what be the bottom line of, what be the core of, what be the "
        "takeaways of, what be the takeaways from, what be the upshot of"
    ),
    "audit": (
        "quality-check, sanity-check, sanity check, spot-check, screen, inspect … for problems, inspect … for "
        "bugs, inspect … for issues, inspect … for errors, inspect … for faults, inspect … for mistakes, examine "
        "… for bugs, examine … for problems, examine … for issues, examine … for errors, examine … for faults, "
        "examine … for mistakes, review … for bugs, review … for problems, review … for issues, review … for "
        "errors, review … for mistakes, go through … for bugs, go through … for problems, comb … for bugs, comb … "
        "for problems, is there anything wrong with, is there anything wrong in, is there something wrong with, "
        "is there something wrong in, are there errors in, are there any errors in, are there mistakes in, are "
        "there any mistakes in, is there a bug in, is there any bug in, is there a problem in, is there a problem "
        "with, is there any problem with, are there problems with, are there any problems with, are there any "
        "issues with, are there issues with, any errors in, any mistakes in, any bugs with, any problems with, "
        "any issues with, anything wrong with, anything wrong in, anything fishy in, anything broken in, spot "
        "bugs in, spot problems in, spot mistakes in, hunt for bugs in, hunt bugs in, run a check on, run a check "
        "over, run the linter on, run the linter over, run a linter on, run a linter over, run a lint on, run a "
        "lint over"
    ),
    "fix": (
        "patch up, put … right, set … right, put … in order, correct, rectify, remedy, resolve the problems in, "
        "resolve the issues in, fix the problems in, fix the issues in, fix the errors in, fix the faults in, fix "
        "the mistakes in, fix everything in, fix all problems in, fix all issues in, fix all errors in, correct "
        "the problems in, correct the mistakes in, correct the errors in, repair the problems in, repair the "
        "faults in, fix what is wrong in, fix what is wrong with, sort out the problems in, sort out the issues "
        "in"
    ),
    "suggest": "come up with, recommend, put forward, bring forward, think up",
    "analyze": (
        "dissect, appraise, gauge, take apart, take stock of, size up, get an analysis of, look into the quality of"
    ),
    "stop": (
        "take down, take … down, pull the plug on, put an end to, put a stop to, finish off, discontinue, "
        "interrupt, have … ended, have … terminated"
    ),
    "start": "get … going, get … running, set … going, set … running, crank up, power up, bring … up, keep … running",
    "run": "trigger, fire off, set off, give … a run, do a run of, try running, try to run, let … execute",
    "ping": "collect, obtain, acquire, poll, contact, call up, try, give … a call, dial, reach",
    "download": "save … to disk, bring down, bring … down, copy … from the web, take … from the web, get hold of",
    "post": "shoot, fire, fire off, deliver, dispatch",
    "commit": "check … in, lock in, seal",
    "unset": "lift, wipe, strip, eliminate, scrap, cancel, throw away, throw out, undeclare, blank out",
    "turn on": "engage, fire up, flip on, flip … on, power up, power on, power … on",
    "turn off": "disengage, kill, shut off, shut … off, shut down, shut … down, flip off, flip … off, power down",
    "retire": (
        "decommission, sack, fire, lay off, pension off, let … go, take … out of service, put … out of service, "
        "remove … from service, take … off duty, send … into retirement, put … into retirement, remove, delete, "
        "shut down, get rid of, drop, discharge, remove … out of service"
    ),
    "instantiate": "add, new, spin up, need, want, build, generate, start, bring up, launch, register, introduce, have",
}


def same_as(verb: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The verb expressions that mean what this one does."""
    return _SAME.get(verb, ())


def _read() -> Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for head, others in _GROUPS.items():
        expressions = (tuple(one.split()) for one in others.split(","))
        found[tuple(head.split())] = tuple(dict.fromkeys(one for one in expressions if one))
    return found


_SAME = _read()
