//! Putting all vectors into clusters, for indexes of very many tools, on a thread of its own. Until it is done, every vector is compared.

use super::{slots::Table, writer::Job};
use crate::vectors::{Clusters, Quantized};
use rayon::{ThreadPoolBuilder, prelude::*};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};
use tokio::sync::mpsc::WeakSender;

const NAME: &str = "mgp-clusters";

/// The clusters, and in which of them each slot is.
#[derive(Debug)]
pub(super) struct Made {
    clusters: Clusters,
    homes: Vec<Option<u32>>,
}

/// What the writer knows of the clusters that are published.
pub(super) struct Clustering {
    writer: WeakSender<Job>,
    /// Up to so many vectors none are made.
    exact_to: usize,
    /// In which cluster each slot is.
    homes: Vec<Option<u32>>,
    /// How many vectors the clusters were made of; 0 where there are none.
    made_of: usize,
    /// How many new vectors came since.
    aged: usize,
    /// The clusters that are being made.
    ordered: Option<Ordered>,
    /// They cannot be made.
    failed: bool,
}

struct Ordered {
    /// The slots that got or lost a vector since.
    changed: Vec<usize>,
    /// Whether they are still wanted.
    wanted: bool,
}

impl Clustering {
    pub(super) fn new(exact_to: usize, writer: WeakSender<Job>) -> Self {
        Self { writer, exact_to, homes: Vec::new(), made_of: 0, aged: 0, ordered: None, failed: false }
    }

    /// Notes that a slot has another vector or none, and moves it to the right cluster.
    pub(super) fn changed(
        &mut self,
        slot: usize,
        vector: Option<&Quantized>,
        clusters: Option<&mut Clusters>,
    ) {
        if let Some(ordered) = &mut self.ordered {
            ordered.changed.push(slot);
        }
        if let Some(clusters) = clusters {
            let home = vector.and_then(|vector| clusters.home(vector));
            self.put(slot, home, clusters);
        }
    }

    /// Notes that a vector is new, not one that came back: others may be in the middle of their clusters by now.
    pub(super) fn age(&mut self) {
        self.aged += 1;
    }

    /// What a search is to read from now on, of a table as it is now. Has clusters made where there are none, or old ones.
    pub(super) fn wanted(&mut self, known: Option<Clusters>, table: &Table) -> Option<Clusters> {
        // Not at once, lest a server that goes and comes back has them made again each time.
        if table.embedded <= self.exact_to - self.exact_to / 8 {
            (self.made_of, self.aged, self.homes) = (0, 0, Vec::new());
            self.ordered.iter_mut().for_each(|ordered| ordered.wanted = false);
            return None;
        }
        let are_old = known.is_none() || self.aged >= self.made_of;
        if table.embedded > self.exact_to && are_old && self.ordered.is_none() && !self.failed {
            let (table, writer) = (table.clone(), self.writer.clone());
            let started = thread::Builder::new().name(NAME.to_owned()).spawn(move || make(table, &writer));
            match started {
                Ok(_) => self.ordered = Some(Ordered { changed: Vec::new(), wanted: true }),
                Err(_) => self.give_up(),
            }
        }
        known
    }

    /// Takes clusters that were made. None where they are not wanted any more.
    pub(super) fn take(&mut self, made: Option<Made>, table: &Table) -> Option<Clusters> {
        let ordered = self.ordered.take();
        if made.is_none() {
            self.give_up();
        }
        let (ordered, Made { mut clusters, homes }) = ordered.filter(|ordered| ordered.wanted).zip(made)?;
        self.homes = homes;
        self.made_of = clusters.vectors();
        self.aged = 0;
        let mut changed = ordered.changed;
        changed.sort_unstable();
        changed.dedup();
        let home = |slot: &usize| clusters.home(&table.vector(*slot)?);
        let homes: Vec<_> = changed.par_iter().map(home).collect();
        for (slot, home) in changed.into_iter().zip(homes) {
            self.put(slot, home, &mut clusters);
        }
        Some(clusters)
    }

    fn give_up(&mut self) {
        tracing::error!("clusters of tools cannot be made: every tool is compared");
        self.failed = true;
    }

    fn put(&mut self, slot: usize, home: Option<usize>, clusters: &mut Clusters) {
        let Ok(number) = u32::try_from(slot) else { return };
        if slot >= self.homes.len() {
            self.homes.resize(slot + 1, None);
        }
        if let Some(old) = self.homes[slot].take() {
            clusters.take(number, old as usize);
        }
        if let Some(home) = home {
            clusters.put(number, home);
            self.homes[slot] = u32::try_from(home).ok();
        }
    }
}

/// Makes clusters on half of the cores: others serve meanwhile.
fn make(table: Table, writer: &WeakSender<Job>) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads((cores / 2).max(1)).thread_name(|_| NAME.to_owned());
    let pool = pool.build().ok();
    let made =
        pool.and_then(|pool| catch_unwind(AssertUnwindSafe(|| pool.install(|| Made::of(&table)))).ok());
    // What the writer has replaced since would stay in memory while it is busy.
    drop(table);
    if let Some(writer) = writer.upgrade() {
        // Without the writer nobody wants them.
        _ = writer.blocking_send(Job::Clusters(made));
    }
}

impl Made {
    fn of(table: &Table) -> Self {
        let known: Vec<_> = (0..table.len()).filter(|slot| table.has_vector(*slot)).collect();
        let vector = |at: usize| known.get(at).and_then(|slot| table.vector(*slot));
        let mut clusters = Clusters::fitting(vector, known.len());
        let found: Vec<_> = known.par_iter().map(|slot| clusters.home(&table.vector(*slot)?)).collect();
        let mut homes = vec![None; table.len()];
        for (slot, home) in known.into_iter().zip(found) {
            if let (Ok(number), Some(home)) = (u32::try_from(slot), home) {
                clusters.put(number, home);
                homes[slot] = u32::try_from(home).ok();
            }
        }
        Self { clusters, homes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixtures::{WEB, tools},
        index::slots::Entry,
    };
    use mgp_types::context::RiskLevel;
    use tokio::sync::mpsc::{Receiver, channel};

    fn direction(degrees: usize) -> Quantized {
        let radians = degrees as f32 / 180.0 * std::f32::consts::PI;
        Quantized::new(&[radians.cos(), radians.sin()]).unwrap()
    }

    fn entry() -> Entry {
        Entry::new(tools("many", WEB, RiskLevel::Safe).remove(0), 0, 1.0)
    }

    /// A table of a hundred tools, one a degree, and who makes clusters of more than ten.
    fn hundred() -> (Table, Clustering, Receiver<Job>, tokio::sync::mpsc::Sender<Job>) {
        let mut table = Table::new(2);
        for slot in 0..100 {
            table.put(slot, entry());
            table.set_vector(slot, &direction(slot));
        }
        let (writer, jobs) = channel(1);
        (table, Clustering::new(10, writer.downgrade()), jobs, writer)
    }

    fn made(jobs: &mut Receiver<Job>) -> Option<Made> {
        match jobs.blocking_recv() {
            Some(Job::Clusters(Some(made))) => Some(made),
            _ => panic!("no clusters were made"),
        }
    }

    fn all(clusters: &Clusters) -> Vec<u32> {
        let mut all = clusters.near(&direction(0), 1_000);
        all.sort_unstable();
        all
    }

    #[test]
    fn what_changes_while_clusters_are_made_is_put_into_the_right_one() {
        let (mut table, mut clustering, mut jobs, _writer) = hundred();
        assert!(clustering.wanted(None, &table).is_none());
        table.clear(50);
        clustering.changed(50, None, None);
        for (slot, degrees) in [(3, 98), (100, 1)] {
            table.put(slot, entry());
            table.set_vector(slot, &direction(degrees));
            clustering.changed(slot, Some(&direction(degrees)), None);
        }
        let clusters = clustering.take(made(&mut jobs), &table).unwrap();
        assert_eq!(all(&clusters), (0..=100).filter(|slot| *slot != 50).collect::<Vec<_>>());
        assert!(clusters.near(&direction(99), 1).contains(&3));
        assert!(clusters.near(&direction(0), 1).contains(&100));
        assert!(!clusters.near(&direction(0), 1).contains(&3));
    }

    #[test]
    fn they_are_made_anew_when_as_many_changed_as_there_were_and_are_gone_with_the_tools() {
        let (mut table, mut clustering, mut jobs, _writer) = hundred();
        assert!(clustering.wanted(None, &table).is_none());
        let mut clusters = clustering.take(made(&mut jobs), &table);
        for slot in 0..100 {
            clusters = clustering.wanted(clusters, &table);
            assert!(clustering.ordered.is_none(), "{slot}");
            clustering.changed(slot, Some(&direction(slot + 100)), clusters.as_mut());
            clustering.age();
            table.set_vector(slot, &direction(slot + 100));
        }
        clusters = clustering.wanted(clusters, &table);
        assert!(clusters.is_some() && clustering.ordered.is_some());
        (0..90).for_each(|slot| table.clear(slot));
        clusters = clustering.wanted(clusters, &table);
        assert!(clusters.is_some(), "ten need none, but may come and go");
        table.clear(90);
        assert!(clustering.wanted(clusters, &table).is_none());
        assert!(clustering.take(made(&mut jobs), &table).is_none(), "nobody wants them any more");
    }

    #[test]
    fn whatever_comes_and_goes_each_vector_is_in_one_cluster_and_nothing_else_is() {
        let (mut table, mut clustering, mut jobs, _writer) = hundred();
        let (mut clusters, mut random, mut checked) = (None, 16_u32, 0);
        let mut below = |most: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as usize % most as usize
        };
        for _ in 0..3_000 {
            let slot = below(100);
            match below(8) {
                0 => {
                    clusters = clustering.wanted(clusters, &table);
                }
                1 if clustering.ordered.is_some() => clusters = clustering.take(made(&mut jobs), &table),
                2 => {
                    table.clear(slot);
                    clustering.changed(slot, None, clusters.as_mut());
                }
                _ => {
                    let vector = direction(below(360));
                    if table.get(slot).is_none() {
                        table.put(slot, entry());
                    }
                    table.set_vector(slot, &vector);
                    clustering.changed(slot, Some(&vector), clusters.as_mut());
                    clustering.age();
                }
            }
            if let Some(clusters) = &clusters {
                let known: Vec<_> = (0..100).filter(|slot| table.has_vector(*slot as usize)).collect();
                assert_eq!((all(clusters), clusters.vectors()), (known, table.embedded));
                checked += 1;
            }
        }
        assert!(checked > 2_000, "{checked}");
    }
}
