//! A graph of vectors (HNSW), in which most of those that are near to another are found without comparing all.

use super::Quantized;
use instant_distance::{Builder, HnswMap, Point, Search};
use std::fmt;

/// How many vectors a search finds.
const FOUND: usize = 512;
/// How carefully a vector is put to its neighbours.
const CARE: usize = 128;
/// The layers of the graph are drawn by lot; so they are the same each time.
const SEED: u64 = 16;

/// A graph of vectors, each with a number. It does not change.
pub(crate) struct Graph(HnswMap<Node, u32>);

#[derive(Clone)]
struct Node(Quantized);

impl Point for Node {
    fn distance(&self, other: &Self) -> f32 {
        1.0 - self.0.cosine(other.0.numbers(), other.0.scale())
    }
}

impl Graph {
    /// Takes seconds for many vectors.
    pub(crate) fn new(vectors: impl Iterator<Item = (u32, Quantized)>) -> Self {
        let (numbers, nodes) = vectors.map(|(number, vector)| (number, Node(vector))).unzip();
        Self(Builder::default().ef_construction(CARE).ef_search(FOUND).seed(SEED).build(nodes, numbers))
    }

    /// How many vectors there are.
    pub(crate) fn len(&self) -> usize {
        self.0.values.len()
    }

    /// The numbers of the vectors that are nearest to one, the nearest first. A few may be missed.
    pub(crate) fn nearest(&self, to: &Quantized) -> Vec<u32> {
        let mut search = Search::default();
        self.0.search(&Node(to.clone()), &mut search).map(|found| *found.value).collect()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors that lie in no order.
    fn vectors(count: u32) -> Vec<(u32, Quantized)> {
        let number =
            |seed: u32| f32::from(u16::try_from(seed.wrapping_mul(2_654_435_761) >> 17).unwrap()) - 16_384.0;
        let vector = |i: u32| (0..16).map(|at| number(i * 16 + at + 1)).collect::<Vec<_>>();
        (0..count).map(|i| (i, Quantized::new(&vector(i)).unwrap())).collect()
    }

    #[test]
    fn most_of_the_nearest_are_found_among_many() {
        let all = vectors(3_000);
        let graph = Graph::new(all.iter().cloned());
        assert_eq!(graph.len(), all.len());
        let mut right = 0;
        for (_, query) in all.iter().step_by(100) {
            let near = |(_, vector): &(u32, Quantized)| query.cosine(vector.numbers(), vector.scale());
            let mut exact: Vec<_> = all.iter().collect();
            exact.sort_by(|a, b| near(b).total_cmp(&near(a)));
            let found = graph.nearest(query);
            assert_eq!(found.len(), FOUND);
            right += exact[..10].iter().filter(|(number, _)| found.contains(number)).count();
        }
        assert!(right >= 295, "{right} of 300");
    }

    #[test]
    fn a_graph_of_nothing_finds_nothing() {
        assert_eq!(Graph::new(std::iter::empty()).nearest(&vectors(1)[0].1), [0; 0]);
    }
}
