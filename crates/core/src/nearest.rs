//! The name somebody may have meant.

/// The word nearest to what was written, capital letters aside, if it is near.
pub fn nearest<'a>(written: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let near = words.map(|word| (distance(&written, &word.to_lowercase()), word));
    let (distance, word) = near.min_by_key(|&(distance, _)| distance)?;
    (distance <= word.len().div_ceil(3)).then_some(word)
}

/// How many characters to insert, remove or change to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(100).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_far_apart_as_it_takes_to_correct_them() {
        for (a, b, apart) in [("", "abc", 3), ("ser", "ser", 0), ("kitten", "sitting", 3)] {
            assert_eq!((distance(a, b), distance(b, a)), (apart, apart), "{a} {b}");
        }
    }

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = || ["cart", "items", "quantity"].into_iter();
        for (written, near) in [
            ("crat", Some("cart")),
            ("CAR", Some("cart")),
            ("quantitty", Some("quantity")),
            ("x", None),
            ("warehouse", None),
        ] {
            assert_eq!(nearest(written, words()), near, "{written}");
        }
    }
}
