//! The checker against enumeration by the letter of the definitions, from the bytes on: the oracle has its own reader,
//! its own semantics and its own verifier, which also replays our witnesses.

use hobgoblin_crdt::{
    Arbitration, Call, CrdtHistory, CrdtVerdict, CrdtWitness, DataType, Generate, Limits, OpId,
    check, read, verify, write,
};
use hobgoblin_oracle::crdt::{self as oracle, reduction};
use serde_json::Value;

/// The size of a test: a tenth, unless everything is asked for.
fn size(full: u64) -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { full } else { full / 10 }
}

/// Seeds are fixed, and can be moved to try others.
fn first_seed() -> u64 {
    std::env::var("HOB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// A witness in the oracle's terms. Initial values are replicas of ours that the oracle does not have.
fn foreign(history: &CrdtHistory, witness: &CrdtWitness) -> oracle::Witness {
    let real: Vec<_> = history.replicas().filter(|&replica| !history.is_initial(replica)).collect();
    let k = history.num_replicas();
    let place = |op| (history.op(op).replica.index(), history.position(op) as usize);
    let is_real = |op| !history.is_initial(history.op(op).replica);
    let vector = |op: OpId| {
        real.iter().map(|of| witness.observed[op.index() * k + of.index()] as usize).collect()
    };
    let took_place = |op| !history.op(op).doubtful || witness.happened.contains(&op);
    let json =
        |value: &hobgoblin_crdt::Value| serde_json::from_str(&value.to_string()).expect("JSON");
    let mut order: Vec<(Option<Value>, Vec<Value>)> = Vec::new();
    if history.data_type() == DataType::List {
        for (at, list) in history.objects().iter().enumerate() {
            let of_list = |op: &OpId| history.op(*op).object.index() == at && took_place(*op);
            let element = |op: OpId| match history.op(op).call {
                Call::Insert { element, .. } => json(history.value(element)),
                _ => panic!("only elements are ordered"),
            };
            let elements = witness.order.iter().copied().filter(of_list).map(element).collect();
            order.push(((!list.is_null()).then(|| json(list)), elements));
        }
    }
    let counts = |op: &OpId| is_real(*op) && took_place(*op);
    let updates = witness.order.iter().copied().filter(counts).map(place);
    oracle::Witness {
        sees: real.iter().map(|&replica| history.ops_of(replica).map(vector).collect()).collect(),
        exists: witness.happened.iter().map(|&op| place(op)).collect(),
        lin: if history.data_type() == DataType::List { Vec::new() } else { updates.collect() },
        order,
    }
}

/// What the checker says, its witness verified twice.
fn verdict(json: &str) -> Result<bool, String> {
    let history = read(json.as_bytes(), None).map_err(|error| error.to_string())?;
    match check(&history, &Limits::none()) {
        CrdtVerdict::Admitted(witness) => {
            assert_eq!(verify(&history, &witness), Ok(()), "{json}");
            let foreign = foreign(&history, &witness);
            assert_eq!(oracle::verify(json, &foreign), Ok(()), "{json}\n{witness:?}");
            Ok(true)
        }
        CrdtVerdict::Violation(violation) => {
            assert!(violation.minimal && !violation.why.is_empty(), "{json}\n{violation:?}");
            // Without any one of the reads, the rest can be explained.
            for &read in &violation.reads {
                let rest = history.forget_reads(|op| op != read && violation.reads.contains(&op));
                let verdict = check(&rest, &Limits::none());
                assert!(matches!(verdict, CrdtVerdict::Admitted(_)), "{json}\n{violation:?}");
            }
            let only = history.forget_reads(|op| violation.reads.contains(&op));
            let verdict = check(&only, &Limits::none());
            assert!(matches!(verdict, CrdtVerdict::Violation(_)), "{json}\n{violation:?}");
            Ok(false)
        }
        CrdtVerdict::Unknown(reason) => panic!("{reason}: {json}"),
    }
}

#[test]
fn small_histories_of_every_type() {
    for data_type in DataType::ALL {
        let mut admitted = 0;
        for seed in first_seed()..first_seed() + size(3_000) {
            let json = oracle::sample(data_type.name(), seed);
            let expected = oracle::admits(&json).expect("samples are histories");
            assert_eq!(verdict(&json), Ok(expected), "{data_type}, seed {seed}: {json}");
            admitted += u64::from(expected);
        }
        let share = admitted * 100 / size(3_000);
        assert!((30..=75).contains(&share), "{data_type}: {share} % are admitted");
    }
}

/// Equal values, written and read by many: which write a read returned is a choice, and choices may exclude each other.
#[test]
fn registers_with_recorded_delivery() {
    let (mut admitted, mut refused) = (0_u64, 0_u64);
    for seed in first_seed()..first_seed() + size(20_000) {
        let mut wanted = Generate::new(DataType::Lww);
        (wanted.sees, wanted.seed) = (true, seed);
        wanted.replicas = 2 + (seed % 4) as u32;
        wanted.operations = 6 + (seed % 5) as u32;
        wanted.keys = 1 + (seed / 3 % 2) as u32;
        wanted.values = Some(1 + (seed / 7 % 3) as u32);
        wanted.mistakes = (seed % 3) as u32;
        if seed % 5 == 0 {
            wanted.options.arbitration = Arbitration::PerKey;
        }
        let json = write(&wanted.run());
        let expected = oracle::admits(&json).expect("it is a history");
        assert_eq!(verdict(&json), Ok(expected), "seed {seed}: {json}");
        *(if expected { &mut admitted } else { &mut refused }) += 1;
    }
    assert!(admitted.min(refused) * 5 > size(20_000), "{admitted} admitted, {refused} not");
}

#[test]
fn known_cases() {
    for file in ["../../corpus/crdt-cases.json", "../../corpus/crdt-cases.jsonl"] {
        let text = std::fs::read_to_string(file).expect("the corpus is there");
        let cases: Vec<Value> = match file.ends_with('l') {
            true => text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(),
            false => serde_json::from_str(&text).expect("JSON"),
        };
        assert!(cases.len() >= 11);
        for case in cases {
            let json = case["history"].to_string();
            let said = match verdict(&json) {
                Ok(true) => "ok",
                Ok(false) => "violation",
                Err(_) => "error",
            };
            assert_eq!(case["verdict"], said, "{}: {json}", case["name"]);
            if said != "error" {
                assert_eq!(oracle::admits(&json), Ok(said == "ok"), "{}", case["name"]);
            }
        }
    }
}

/// The thesis's reductions of 1-in-3 SAT [Biswas 2021a, theorems 2.2.1 and 2.2.2], against enumeration of assignments.
#[test]
fn hard_histories_from_formulas() {
    for kind in ["ew-flag", "dw-flag", "aw-set", "rw-set", "mvr", "lww", "counter"] {
        let (mut yes, mut no) = (0, 0);
        for seed in first_seed()..first_seed() + size(1_200).max(120) {
            let formula = reduction::formula(seed);
            let satisfiable = reduction::satisfiable(&formula);
            let history = read(reduction::history(&formula, kind).as_bytes(), None);
            let history = history.expect("a history");
            match hobgoblin_crdt::admits(&history, &Limits::none()) {
                Ok(Some(witness)) => {
                    assert!(satisfiable, "{kind} {formula:?}");
                    assert_eq!(verify(&history, &witness), Ok(()), "{kind} {formula:?}");
                }
                Ok(None) => assert!(!satisfiable, "{kind} {formula:?}"),
                Err(reason) => panic!("{kind} {formula:?}: {reason}"),
            }
            if satisfiable { yes += 1 } else { no += 1 }
        }
        assert!(yes >= 20 && no >= 20, "{yes} formulas have an assignment, {no} have none");
    }
}

/// One result of a history whose delivery was recorded is changed: found, whenever enumeration rejects it.
#[test]
fn single_mistakes_are_found_where_delivery_is_known() {
    for data_type in DataType::ALL {
        let (mut found, mut rejected) = (0, 0);
        for seed in first_seed()..first_seed() + 60 {
            let mut wanted = Generate::new(data_type);
            (wanted.operations, wanted.keys, wanted.sees) = (9, 2, true);
            (wanted.mistakes, wanted.seed) = (1, seed);
            let json = write(&wanted.run());
            let expected = oracle::admits(&json).expect("a history");
            assert_eq!(verdict(&json), Ok(expected), "{data_type}, seed {seed}: {json}");
            rejected += u32::from(!expected);
            // In larger ones a mistake of a type without an order is always one.
            (wanted.operations, wanted.keys) = (120, 6);
            let history = wanted.run();
            found +=
                u32::from(matches!(check(&history, &Limits::none()), CrdtVerdict::Violation(_)));
        }
        let ordered = matches!(data_type, DataType::Lww | DataType::Rga | DataType::List);
        assert!(found == 60 || ordered, "{data_type}: {found} of 60 mistakes were found");
        assert!(rejected > 10, "{data_type}: {rejected} of 60 were rejected");
    }
}

/// Black box, the verdict is that of enumeration too, and what is written is read as it was.
#[test]
fn generated_histories_are_admitted_and_read_again() {
    for data_type in DataType::ALL {
        for seed in first_seed()..first_seed() + size(400) {
            let mut wanted = Generate::new(data_type);
            wanted.seed = seed;
            wanted.operations = 8 + (seed % 90) as u32;
            wanted.values = (seed % 2 == 0).then_some(2);
            wanted.sees = seed % 3 == 0;
            let history = wanted.run();
            let again =
                read(write(&history).as_bytes(), None).expect("what is written can be read");
            assert_eq!(write(&again), write(&history));
            match check(&again, &Limits::none()) {
                CrdtVerdict::Admitted(witness) => assert_eq!(verify(&history, &witness), Ok(())),
                other => panic!("{data_type}, seed {seed}: {other:?}"),
            }
        }
    }
}
