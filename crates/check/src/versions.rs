//! The versions of a problem and who read them.

use crate::problem::{Csr, INIT, Node, Problem, Read};

/// Numbers versions (a key as one transaction left it) and lists the readers of each.
#[derive(Debug)]
pub(crate) struct Versions {
    num_writes: usize,
    /// For each version, the indices of the reads that returned it and obey an axiom.
    reads: Csr,
    /// The reader of each read of the problem.
    reader: Vec<Node>,
}

impl Versions {
    pub(crate) fn new(problem: &Problem<'_>) -> Versions {
        let num_writes = problem.num_writes();
        let version = |read: &Read| version(problem, num_writes, read.source, read.key());
        let mut reads = Csr::new(num_writes + problem.num_keys());
        for node in 1..problem.len() as Node {
            for read in problem.reads(node) {
                if read.obeys_axiom() {
                    reads.count(version(read));
                }
            }
        }
        reads.make_room();
        let mut reader = Vec::with_capacity(problem.num_reads());
        for node in 1..problem.len() as Node {
            for read in problem.reads(node) {
                if read.obeys_axiom() {
                    reads.push(version(read), reader.len() as u32);
                }
                reader.push(node);
            }
        }
        reads.done();
        Versions { num_writes, reads, reader }
    }

    /// The number of the version of `key` that `writer` left.
    #[inline]
    pub(crate) fn of(&self, problem: &Problem<'_>, writer: Node, key: usize) -> usize {
        version(problem, self.num_writes, writer, key)
    }

    /// How many versions there are, those of init last.
    pub(crate) fn len(&self) -> usize {
        self.reads.rows()
    }

    /// The transactions that read a version, ascending; one that read it twice comes twice in a row.
    #[inline]
    pub(crate) fn readers(&self, version: usize) -> impl Iterator<Item = Node> + '_ {
        self.reads.row(version).iter().map(|&read| self.reader[read as usize])
    }

    /// Whether a transaction read a version.
    pub(crate) fn is_reader(&self, version: usize, node: Node) -> bool {
        let reads = self.reads.row(version);
        let at = reads.partition_point(|&read| self.reader[read as usize] < node);
        reads.get(at).is_some_and(|&read| self.reader[read as usize] == node)
    }

    /// How many reads returned a version.
    #[inline]
    pub(crate) fn num_reads(&self, version: usize) -> usize {
        self.reads.row(version).len()
    }
}

#[inline]
fn version(problem: &Problem<'_>, num_writes: usize, writer: Node, key: usize) -> usize {
    if writer == INIT {
        return num_writes + key;
    }
    problem.version(writer, key).expect("a version has a writer that writes its key")
}
