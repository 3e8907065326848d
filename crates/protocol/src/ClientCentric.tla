---- MODULE ClientCentric ----
(* State-based, client-centric isolation. Transactions are a function from names to sequences of operations, so    *)
(* that two with the same operations are two. An execution is an order of their names; its states are numbered,    *)
(* the initial one is 1, and the parent of the i-th transaction is state i.                                        *)
EXTENDS Naturals, Sequences, FiniteSets

SeqToSet(seq) == {seq[i] : i \in DOMAIN seq}

Executions(names) == {e \in [1..Cardinality(names) -> names] : SeqToSet(e) = names}

RECURSIVE Apply(_, _)
Apply(state, transaction) ==
  IF transaction = << >> THEN state
  ELSE LET o == Head(transaction)
           next == IF o.op = "write" THEN [state EXCEPT ![o.key] = o.value] ELSE state
       IN  Apply(next, Tail(transaction))

RECURSIVE StatesTo(_, _, _, _)
StatesTo(initialState, transactions, e, i) ==
  IF i = 0 THEN << initialState >>
  ELSE LET before == StatesTo(initialState, transactions, e, i - 1)
       IN  Append(before, Apply(before[i], transactions[e[i]]))

executionStates(initialState, transactions, e) == StatesTo(initialState, transactions, e, Len(e))

ReadStates(states, parent, transaction, j) ==
  LET o == transaction[j]
  IN  {s \in 1..parent :
        \/ o.op = "write"
        \/ states[s][o.key] = o.value
        \/ \E i \in 1..(j - 1) :
             /\ transaction[i].op = "write"
             /\ transaction[i].key = o.key
             /\ transaction[i].value = o.value}

Complete(states, parent, transaction, s) ==
  \A j \in DOMAIN transaction : s \in ReadStates(states, parent, transaction, j)

WriteSet(transaction) ==
  {transaction[j].key : j \in {i \in DOMAIN transaction : transaction[i].op = "write"}}

NoConf(states, parent, transaction, s) ==
  \A k \in WriteSet(transaction) : states[s][k] = states[parent][k]

Preread(states, parent, transaction) ==
  \A j \in DOMAIN transaction : ReadStates(states, parent, transaction, j) # {}

SomeExecution(initialState, transactions, Test(_, _, _)) ==
  \E e \in Executions(DOMAIN transactions) :
    LET states == executionStates(initialState, transactions, e)
    IN  \A i \in DOMAIN e : Test(states, i, transactions[e[i]])

SerializabilityTest(states, parent, transaction) == Complete(states, parent, transaction, parent)

SnapshotIsolationTest(states, parent, transaction) ==
  \E s \in 1..parent :
    /\ Complete(states, parent, transaction, s)
    /\ NoConf(states, parent, transaction, s)

Serializability(initialState, transactions) ==
  SomeExecution(initialState, transactions, SerializabilityTest)

SnapshotIsolation(initialState, transactions) ==
  SomeExecution(initialState, transactions, SnapshotIsolationTest)

ReadCommitted(initialState, transactions) ==
  SomeExecution(initialState, transactions, Preread)

ReadUncommitted(initialState, transactions) == TRUE
====
