//! The name somebody may have meant.

/// Help for a name that is none: the nearest of those there are, or else `otherwise`.
pub(super) fn suggest<'a>(
    written: &str,
    names: impl Iterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    let near = names.map(|name| (distance(written, name), name)).min();
    match near {
        Some((distance, name)) if distance <= name.len().div_ceil(3) => {
            format!("did you mean `{name}`?")
        }
        _ => otherwise.into(),
    }
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
    fn near_names_are_suggested_and_far_ones_are_not() {
        let names = || ["cart", "items", "quantity"].into_iter();
        assert_eq!(suggest("crat", names(), "no"), "did you mean `cart`?");
        assert_eq!(suggest("x", names(), "no"), "no");
        assert_eq!(suggest("car", names(), "no"), "did you mean `cart`?");
        assert_eq!(suggest("quantitty", names(), "no"), "did you mean `quantity`?");
        assert_eq!(suggest("warehouse", names(), "no"), "no");
    }
}
