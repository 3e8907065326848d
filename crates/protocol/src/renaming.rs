//! Other names for transactions and resources.

/// New numbers of transactions and resources: each has the number that stands at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// By transaction, its new number.
    pub transactions: Vec<usize>,
    /// By resource, its new number.
    pub resources: Vec<usize>,
}

impl Renaming {
    /// All renamings of so many transactions and resources; the first changes nothing.
    ///
    /// ```
    /// use hobgoblin_protocol::Renaming;
    ///
    /// let all = Renaming::all(2, 3);
    /// assert_eq!(all.len(), 2 * 6);
    /// assert_eq!(all[0].transactions, [0, 1]);
    /// assert_eq!(all[1].resources, [0, 2, 1]);
    /// ```
    pub fn all(transactions: usize, resources: usize) -> Vec<Renaming> {
        let of_resources = permutations(resources);
        let with = |transactions: Vec<usize>| {
            let renaming = move |resources: &Vec<usize>| Renaming {
                transactions: transactions.clone(),
                resources: resources.clone(),
            };
            of_resources.iter().map(renaming).collect::<Vec<_>>()
        };
        permutations(transactions).into_iter().flat_map(with).collect()
    }

    /// The new number of a transaction, where numbers are from 1 and 0 is none.
    pub fn transaction(&self, number: u8) -> u8 {
        renamed_number(number, &self.transactions)
    }

    /// The new number of a resource, where numbers are from 1 and 0 is none.
    pub fn resource(&self, number: u8) -> u8 {
        renamed_number(number, &self.resources)
    }

    /// A set of transactions, as bits, by their new numbers.
    pub fn transaction_set(&self, set: u8) -> u8 {
        renamed_set(set, &self.transactions)
    }

    /// A set of resources, as bits, by their new numbers.
    pub fn resource_set(&self, set: u8) -> u8 {
        renamed_set(set, &self.resources)
    }
}

fn renamed_number(number: u8, names: &[usize]) -> u8 {
    usize::from(number).checked_sub(1).map_or(0, |at| names[at] as u8 + 1)
}

fn renamed_set(set: u8, names: &[usize]) -> u8 {
    let mut rest = set;
    let mut renamed = 0;
    while rest != 0 {
        renamed |= 1 << names[rest.trailing_zeros() as usize];
        rest &= rest - 1;
    }
    renamed
}

/// All orders of so many numbers, ascending.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |order: &Vec<usize>| {
            let free = (0..count).filter(|number| !order.contains(number)).collect::<Vec<_>>();
            let order = order.clone();
            free.into_iter().map(move |number| [&order[..], &[number]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
