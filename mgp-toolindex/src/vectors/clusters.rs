//! Vectors in clusters (an inverted file, IVF): of very many vectors, those that are near to another are found in the clusters that are
//! near to it.

use super::Quantized;
use rayon::prelude::*;
use std::sync::Arc;

/// From so many vectors a cluster's centre is learned, in the mean.
const LEARNED_FROM: usize = 32;
/// How often each centre is moved to the middle of its cluster.
const ROUNDS: usize = 6;

/// Vectors by number, each in the cluster whose centre it is nearest to. A clone shares what neither of the two changes.
#[derive(Debug, Clone)]
pub(crate) struct Clusters {
    centres: Arc<[Quantized]>,
    members: Vec<Arc<Vec<u32>>>,
    /// How many vectors are in them.
    count: usize,
}

impl Clusters {
    /// Clusters that fit some vectors, and nothing in them. `vectors` has `count`, as many as will be put in.
    pub(crate) fn fitting(vectors: impl Fn(usize) -> Option<Quantized>, count: usize) -> Self {
        // So many that it takes as long to compare the centres as a cluster.
        let clusters = count.isqrt().max(1);
        let step = (count / (clusters * LEARNED_FROM)).max(1);
        let sample: Vec<_> = (0..count).step_by(step).filter_map(vectors).collect();
        let mut centres: Vec<_> =
            sample.iter().step_by((sample.len() / clusters).max(1)).take(clusters).cloned().collect();
        for _ in 0..ROUNDS {
            let homes: Vec<_> = sample.par_iter().map(|vector| nearest(&centres, vector)).collect();
            let mut sums = vec![Vec::new(); centres.len()];
            for (vector, home) in sample.iter().zip(homes) {
                let Some(sum) = home.and_then(|home| sums.get_mut(home)) else { continue };
                sum.resize(vector.numbers().len(), 0.0);
                for (sum, number) in sum.iter_mut().zip(vector.numbers()) {
                    *sum += f32::from(*number) * vector.scale();
                }
            }
            // A cluster that lost all keeps its centre.
            for (centre, sum) in centres.iter_mut().zip(sums) {
                if let Some(middle) = Quantized::new(&sum) {
                    *centre = middle;
                }
            }
        }
        Self { members: vec![Arc::default(); centres.len()], centres: centres.into(), count: 0 }
    }

    /// How many clusters there are.
    pub(crate) fn len(&self) -> usize {
        self.centres.len()
    }

    /// How many vectors are in them.
    pub(crate) fn vectors(&self) -> usize {
        self.count
    }

    /// The cluster that a vector belongs in; none where there are no clusters.
    pub(crate) fn home(&self, vector: &Quantized) -> Option<usize> {
        nearest(&self.centres, vector)
    }

    /// Puts a vector into a cluster.
    pub(crate) fn put(&mut self, number: u32, home: usize) {
        if let Some(members) = self.members.get_mut(home) {
            Arc::make_mut(members).push(number);
            self.count += 1;
        }
    }

    /// Takes a vector out of a cluster.
    pub(crate) fn take(&mut self, number: u32, home: usize) {
        let Some(members) = self.members.get_mut(home) else { return };
        if let Some(at) = members.iter().position(|member| *member == number) {
            Arc::make_mut(members).swap_remove(at);
            self.count -= 1;
        }
    }

    /// The vectors of the clusters that are nearest to one, at least so many where there are as many.
    pub(crate) fn near(&self, to: &Quantized, least: usize) -> Vec<u32> {
        let nearness = |centre: &Quantized| centre.cosine(to.numbers(), to.scale());
        let mut clusters: Vec<_> = self.centres.iter().map(nearness).zip(&self.members).collect();
        clusters.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
        let mut near = Vec::with_capacity(least * 2);
        for (_, members) in clusters {
            if near.len() >= least {
                break;
            }
            near.extend_from_slice(members);
        }
        near
    }
}

fn nearest(centres: &[Quantized], to: &Quantized) -> Option<usize> {
    let nearness = |centre: &Quantized| centre.cosine(to.numbers(), to.scale());
    let nearest = centres.iter().map(nearness).enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
    nearest.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors that lie in no order.
    fn vectors(count: u32) -> Vec<Quantized> {
        let number =
            |seed: u32| f32::from(u16::try_from(seed.wrapping_mul(2_654_435_761) >> 17).unwrap()) - 16_384.0;
        let vector = |i: u32| (0..16).map(|at| number(i * 16 + at + 1)).collect::<Vec<_>>();
        (0..count).map(|i| Quantized::new(&vector(i)).unwrap()).collect()
    }

    fn filled(all: &[Quantized]) -> Clusters {
        let mut clusters = Clusters::fitting(|number| all.get(number).cloned(), all.len());
        for (number, vector) in all.iter().enumerate() {
            let home = clusters.home(vector).unwrap();
            clusters.put(number as u32, home);
        }
        clusters
    }

    #[test]
    fn most_of_the_nearest_are_in_the_clusters_that_are_near() {
        let all = vectors(3_000);
        let clusters = filled(&all);
        assert_eq!((clusters.len(), clusters.vectors()), (54, 3_000));
        let mut right = 0;
        for query in all.iter().step_by(100) {
            let near = |number: usize| query.cosine(all[number].numbers(), all[number].scale());
            let mut exact: Vec<_> = (0..all.len()).collect();
            exact.sort_by(|one, other| near(*other).total_cmp(&near(*one)));
            let found = clusters.near(query, 1_000);
            assert!((1_000..1_500).contains(&found.len()), "{}", found.len());
            right += exact[..10].iter().filter(|number| found.contains(&(**number as u32))).count();
        }
        assert!(right >= 280, "{right} of 300");
    }

    #[test]
    fn each_vector_is_in_one_cluster_until_it_is_taken_out() {
        let all = vectors(300);
        let mut clusters = filled(&all);
        let mut found = clusters.near(&all[7], 300);
        found.sort_unstable();
        assert_eq!(found, (0..300).collect::<Vec<_>>());
        assert_eq!(clusters.near(&all[7], 1).iter().filter(|number| **number == 7).count(), 1);
        let before = clusters.clone();
        let home = clusters.home(&all[7]).unwrap();
        clusters.take(7, home);
        clusters.take(7, home);
        assert_eq!((clusters.near(&all[7], 300).len(), clusters.vectors()), (299, 299));
        assert_eq!(before.near(&all[7], 300).len(), 300, "who searches meanwhile sees what was");
    }

    #[test]
    fn clusters_of_nothing_find_nothing() {
        let clusters = Clusters::fitting(|_| None, 0);
        let vector = &vectors(1)[0];
        assert_eq!((clusters.len(), clusters.home(vector)), (0, None));
        assert_eq!(clusters.near(vector, 10), [0; 0]);
    }
}
