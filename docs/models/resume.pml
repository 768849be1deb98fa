// SPDX-License-Identifier: MIT
/*
 * How two players keep one match over cuts and crashes: the rules of docs/protocol.md §4.2 and
 * §5.6 and of the journal, without bytes, signatures and games.
 *
 * Each player has a log of entries; they write in turns until N are there. What a player has on
 * its disk survives a crash; what it knows of the other side, of the connection and of what was
 * sent does not. An entry is written in company only: on a connection on which the other side has
 * said what it has of this log. Apart, the wish is stored as a draft. Once, a player may lose the
 * last entry of its own log (a backup was put back); the other side gives it back before company
 * begins.
 *
 * What is checked: entries arrive once and in order (safe); nobody has what was never written, and
 * nobody counts as had what is not on the other disk (agree); no number is written twice with two
 * contents (once); and the match comes to its end when cuts and crashes do (live).
 *
 * With -DOLDHELLO a hello may say what was had when the dial began, before more came over the
 * connection that it replaces; then no backup is put back. With -DBACKUP as well a number is written
 * twice: so a dial that says what is old must not be played over.
 *
 * Mutants: -DNODEDUP takes a repeated entry for a new one; -DEARLYACK says that an entry is had
 * before it is on the disk; -DFORGET forgets an entry when it is sent, not when it is had.
 */
#ifndef N
#define N 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef CUTS
#define CUTS 2
#endif
#define NOBODY 255

/* A hello says what is had of the other log; a welcome is the same on the way back, so one kind
   does for both. LOST asks for own entries after a number, KEPT gives one back. */
mtype = { HELLO, ENTRY, HAVE, LOST, KEPT };
chan to[2] = [3] of { mtype, byte };

bool up = false;            /* there is a connection */
bool fresh[2];              /* this side has not said hello on it */
byte crashes = 0, cuts = 0, losses = 0;

/* On disk. */
byte own[2];                /* own entries */
byte theirs[2];             /* the other side's entries that are stored here */
bool drafted[2];            /* the next own entry is wished for */

/* In memory: gone with the process; the second three also with the connection. */
byte had[2];                /* own entries that the other side is known to have */
bool company[2];            /* own entries may be written */
byte sent[2];               /* own entries sent on this connection */
byte target[2];             /* how long the own log is, by what the other side has; else 0 */
bool asked[2];              /* the lost part was asked for */
#ifdef EARLYACK
bool pending[2];
#endif

/* What nobody in the model can see. */
byte written[2];            /* the highest number ever written */
byte reached[2];            /* the highest number that was ever stored by the other side */
bool bad = false;           /* an entry was doubled, lost or out of order */
bool twice = false;         /* a number that the other side has was written once more */
bool over = false;

#ifdef OLDHELLO
byte noted[2];              /* what the next hello says is had */
#define SAID noted[me]
#else
#define BACKUP
#define SAID theirs[me]
#endif
#define other (1 - me)
#define isTurn (own[me] + theirs[me] < N && ((own[me] + theirs[me]) % 2) == me)
#define isDone(p) (own[p] + theirs[p] == N && had[p] == own[p])

inline forget(p) {
  company[p] = false; sent[p] = NOBODY; target[p] = 0; fresh[p] = true; asked[p] = false
}

inline cut() {
  up = false;
  do :: to[0]?_,_ :: empty(to[0]) -> break od;
  do :: to[1]?_,_ :: empty(to[1]) -> break od;
  forget(0); forget(1)
}

inline write(me) {
  own[me]++;
  if :: own[me] <= reached[me] -> twice = true :: else fi;
  if :: own[me] > written[me] -> written[me] = own[me] :: else fi;
  drafted[me] = false
}

/* An entry is checked and on the disk, in one step: a torn line is cut off at opening. */
inline store(me, s) {
  if :: s != theirs[me] + 1 -> bad = true :: else fi;
  theirs[me]++;
  if :: theirs[me] > reached[other] -> reached[other] = theirs[me] :: else fi
}

inline begin(me) { company[me] = true; target[me] = 0 }

proctype Player(byte me) {
  byte s;
  do
  /* What the other side lacks is sent, from where it said that it is. A side that has less of its
     own log than the other does not send: it is given back first. */
  :: atomic { up && sent[me] != NOBODY && sent[me] < own[me] && nfull(to[other]) ->
       sent[me]++;
       to[other]!ENTRY,sent[me];
#ifdef FORGET
       had[me] = sent[me]
#endif
     }
  :: atomic { up && fresh[me] && nfull(to[other]) -> fresh[me] = false; to[other]!HELLO,SAID }
#ifdef OLDHELLO
  :: atomic { noted[me] != theirs[me] -> noted[me] = theirs[me] }
#endif
  /* A wish: written in company, drafted otherwise. */
  :: atomic { isTurn && company[me] -> write(me) }
  :: atomic { isTurn && !company[me] && !drafted[me] -> drafted[me] = true }
  :: atomic { up && !fresh[me] && to[me]?[HELLO,_] -> to[me]?HELLO,s;
#ifdef FORGET
       if :: s < had[me] -> s = had[me] :: else fi;
#endif
       if
       :: s > own[me] -> target[me] = s; sent[me] = s;
            if :: had[me] < s -> had[me] = s :: else fi
       :: else -> sent[me] = s; begin(me);
            if :: had[me] < s -> had[me] = s :: else fi
       fi }
  /* The lost part of the own log, one by one. */
  :: atomic { up && target[me] > own[me] && nfull(to[other]) && !(to[me]?[KEPT,_]) && !asked[me] ->
       asked[me] = true; to[other]!LOST,own[me] }
  :: atomic { up && nfull(to[other]) && to[me]?[LOST,_] -> to[me]?LOST,s; to[other]!KEPT,s + 1 }
  :: atomic { up && to[me]?[KEPT,_] -> to[me]?KEPT,s; asked[me] = false;
       if :: s == own[me] + 1 -> own[me]++ :: else -> bad = true fi;
       if :: own[me] >= target[me] -> begin(me) :: else fi }
  /* An entry of the other side: checked, stored, then had. */
  :: atomic { up && nfull(to[other]) && to[me]?[ENTRY,_] -> to[me]?ENTRY,s;
#ifdef EARLYACK
       if
       :: crashes < CRASHES -> crashes++; to[other]!HAVE,s; pending[me] = true
       :: store(me, s); to[other]!HAVE,theirs[me]
       fi
#else
#ifdef NODEDUP
       store(me, s);
#else
       if
       :: s == theirs[me] + 1 -> store(me, s)
       :: s <= theirs[me] -> skip
       :: else -> bad = true
       fi;
#endif
       to[other]!HAVE,theirs[me]
#endif
     }
#ifdef EARLYACK
  /* It died before the entry was on the disk; what it had said is on its way. */
  :: atomic { pending[me] && (!up || empty(to[other])) -> pending[me] = false; had[me] = 0;
       if :: up -> cut() :: else -> forget(me) fi }
#endif
  :: atomic { up && to[me]?[HAVE,_] -> to[me]?HAVE,s;
       if :: s > had[me] -> had[me] = s :: else fi }
  /* The process dies, and another takes up what is on the disk. */
  :: atomic { crashes < CRASHES && !over -> crashes++; had[me] = 0;
       if :: up -> cut() :: else -> forget(me) fi }
#ifdef BACKUP
  /* The process dies, and an older journal is put back. */
  :: atomic { crashes < CRASHES && losses == 0 && own[me] > 0 && reached[me] == own[me] && !over ->
       crashes++; losses++; own[me]--; had[me] = 0;
       if :: up -> cut() :: else -> forget(me) fi }
#endif
  :: over -> break
  od
}

proctype Network() {
  do
  :: atomic { !up && !over -> up = true }
  :: atomic { up && cuts < CUTS && !over -> cuts++; cut() }
  :: atomic { isDone(0) && isDone(1) -> over = true; break }
  od
}

init { atomic { forget(0); forget(1); run Player(0); run Player(1); run Network() } }

ltl safe { [] !bad }
ltl once { [] !twice }
ltl agree { [] (theirs[0] <= written[1] && theirs[1] <= written[0] && had[0] <= theirs[1] && had[1] <= theirs[0]) }
ltl live { <> over }
