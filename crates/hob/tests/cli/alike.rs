//! Output as pages write it, against what is really said.

/// What stands for any lines.
const ANY: &str = "...";

/// Whether a line is as it is written, where `...` is any text.
fn is_said(written: &str, real: &str) -> bool {
    let Some((start, mut rest)) = written.split_once(ANY) else { return written == real };
    let Some(mut real) = real.strip_prefix(start) else { return false };
    while let Some((part, after)) = rest.split_once(ANY) {
        let Some(at) = real.find(part) else { return false };
        (real, rest) = (&real[at + part.len()..], after);
    }
    real.ends_with(rest)
}

/// Whether lines are as they are written, where `...` is any lines, or any text within a line.
pub(crate) fn matches(written: &[String], real: &[String]) -> bool {
    let Some((first, rest)) = written.split_first() else { return real.is_empty() };
    if first == ANY {
        return (0..=real.len()).any(|skipped| matches(rest, &real[skipped..]));
    }
    real.split_first().is_some_and(|(line, real)| is_said(first, line) && matches(rest, real))
}

/// What to write instead: the real lines, and `...` where it was.
///
/// Lines that are still said stay. In between, what is written is replaced by what is said; where `...` was
/// among it, it is still there, and of the other lines only those are replaced that are much like a real one.
pub(crate) fn blessed(written: &[String], real: &[String]) -> Vec<String> {
    let mut new: Vec<String> = Vec::new();
    let (mut from, mut at) = (0, 0);
    let mut pairs = common(written, real);
    pairs.push((written.len(), real.len()));
    for (w, r) in pairs {
        let (gap, said) = (&written[from..w], &real[at..r]);
        if gap.iter().any(|line| line == ANY) {
            let mut left = said;
            for line in gap {
                if line == ANY {
                    new.push(line.clone());
                } else if let Some(found) = left.iter().position(|said| is_like(line, said)) {
                    new.push(left[found].clone());
                    left = &left[found + 1..];
                }
            }
        } else {
            new.extend(said.iter().cloned());
        }
        new.extend(written.get(w).cloned());
        (from, at) = (w + 1, r + 1);
    }
    // A line that was dropped may have been all there was between two `...`, or the only lines after one.
    new.dedup_by(|b, a| a == b && a == ANY);
    if matches(&new, real) { new } else { real.to_vec() }
}

/// Whether most words of two lines are the same.
fn is_like(one: &str, two: &str) -> bool {
    let words: Vec<&str> = two.split_whitespace().collect();
    let all = one.split_whitespace().count().max(words.len());
    let same = one.split_whitespace().filter(|word| words.contains(word)).count();
    2 * same >= all && same > 0
}

/// A longest list of lines that both have in order, blank lines and `...` aside, by their places.
fn common(one: &[String], two: &[String]) -> Vec<(usize, usize)> {
    let same =
        |a: usize, b: usize| is_said(&one[a], &two[b]) && !one[a].is_empty() && one[a] != ANY;
    let mut longest = vec![vec![0; two.len() + 1]; one.len() + 1];
    for a in (0..one.len()).rev() {
        for b in (0..two.len()).rev() {
            longest[a][b] = match same(a, b) {
                true => longest[a + 1][b + 1] + 1,
                false => longest[a + 1][b].max(longest[a][b + 1]),
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < one.len() && b < two.len() {
        if same(a, b) {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if longest[a + 1][b] >= longest[a][b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[test]
fn what_is_written_is_compared_and_written_anew() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    for (written, real, new) in [
        ("a\nb", "a\nb", None),
        ("...", "", None),
        ("a\n...\nc", "a\nc", None),
        ("t1 ... t2 ...", "t1 saw t2 and t3", None),
        ("t1 ... t2 ...", "t1 saw t3", Some("t1 saw t3")),
        ("t1 ... t3\nb", "t1 saw t3\nc", Some("t1 ... t3\nc")),
        ("a\n...\nc", "a\nb\nb\nc", None),
        ("a\nb", "a\nb\nc", Some("a\nb\nc")),
        ("a\nb\nc", "a\nx\nc", Some("a\nx\nc")),
        (
            "a\n...\n3 of 4 runs failed\n...",
            "a\nb\n4 of 4 runs failed\nc",
            Some("a\n...\n4 of 4 runs failed\n..."),
        ),
        ("...\ngone for good\n...\nz", "a\nz", Some("...\nz")),
        ("a\n...", "b\nc", Some("...")),
        ("", "a", Some("a")),
    ] {
        let (written, real) = (lines(written), lines(real));
        assert_eq!(matches(&written, &real), new.is_none(), "{written:?} {real:?}");
        if let Some(new) = new {
            assert_eq!(blessed(&written, &real), lines(new), "{written:?} {real:?}");
        }
    }
}
