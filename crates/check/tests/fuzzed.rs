//! The histories of `corpus/fuzz`: each once made a checker or a certificate go wrong.

use std::path::Path;

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Target, Verdict};
use hobgoblin_format::read_path;
use hobgoblin_oracle::brute;

#[test]
fn what_went_wrong_once_does_not_again() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/fuzz");
    let entries = std::fs::read_dir(directory).expect("the corpus");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut count = 0;
    for path in paths.filter(|p| p.extension().is_some_and(|e| e == "txn")) {
        let label = path.display();
        let history = read_path(&path, None).unwrap_or_else(|e| panic!("{label}: {e}"));
        let mixed = [Level::RU, Level::RC, Level::PSI, Level::SER].map(Target::Mixed);
        for target in Level::ALL.map(Target::Level).into_iter().chain(mixed) {
            let verdict = check(&history, target, &Limits::none());
            verify(&history, target, &verdict)
                .unwrap_or_else(|e| panic!("{label} at {target:?}: {e}: {verdict:?}"));
            if history.txns().len() <= 7 {
                let holds = matches!(verdict, Verdict::Consistent(_));
                assert_eq!(holds, brute::satisfies(&history, target), "{label} at {target:?}");
            }
        }
        count += 1;
    }
    assert!(count > 0, "the corpus is there");
}
