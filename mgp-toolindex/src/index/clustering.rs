//! The thread that puts all vectors into clusters, for indexes of very many tools. Until it is done, every vector is compared.

use super::{slots::Table, writer::Job};
use crate::vectors::{Clusters, Quantized};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::{io, sync::mpsc, thread};
use tokio::sync::mpsc::WeakSender;

const NAME: &str = "mgp-clusters";

/// The clusters, and in which of them each slot is.
#[derive(Debug)]
pub(super) struct Made {
    clusters: Clusters,
    homes: Vec<Option<u32>>,
}

/// What is known of the clusters that are published. The writer has it; with it, the thread ends.
pub(super) struct Clustering {
    orders: mpsc::Sender<Table>,
    /// Up to so many vectors none are needed.
    exact_to: usize,
    /// In which cluster each slot is, whether its tool is still there or not.
    homes: Vec<Option<u32>>,
    /// How many vectors the clusters were made of; 0 where there are none.
    made_of: usize,
    /// How many vectors came since.
    changed: usize,
    /// The clusters that are being made.
    ordered: Option<Ordered>,
}

struct Ordered {
    /// The slots that got another vector since.
    changed: Vec<usize>,
    /// Whether they are still wanted.
    wanted: bool,
}

impl Clustering {
    /// Starts the thread.
    pub(super) fn start(exact_to: usize, writer: WeakSender<Job>) -> io::Result<Self> {
        let (orders, ordered) = mpsc::channel();
        // On half of the cores: others serve meanwhile.
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let pool = ThreadPoolBuilder::new().num_threads((cores / 2).max(1)).thread_name(|_| NAME.to_owned());
        let pool = pool.build().map_err(io::Error::other)?;
        let thread = thread::Builder::new().name(NAME.to_owned());
        thread.spawn(move || run(&pool, &ordered, &writer))?;
        Ok(Self { orders, exact_to, homes: Vec::new(), made_of: 0, changed: 0, ordered: None })
    }

    /// Notes that a slot has a new vector, and puts it into its cluster.
    pub(super) fn changed(&mut self, slot: usize, vector: &Quantized, clusters: Option<&mut Clusters>) {
        if let Some(ordered) = &mut self.ordered {
            ordered.changed.push(slot);
        }
        if let Some(clusters) = clusters {
            self.changed += 1;
            self.put(slot, vector, clusters);
        }
    }

    /// What a search reads from now on, of a table as it is now.
    pub(super) fn published(&mut self, known: Option<Clusters>, table: &Table) -> Option<Clusters> {
        if table.embedded() <= self.exact_to {
            (self.made_of, self.changed, self.homes) = (0, 0, Vec::new());
            self.ordered.iter_mut().for_each(|ordered| ordered.wanted = false);
            return None;
        }
        // Where the tools are others by now, other centres may suit them better.
        let are_old = self.changed >= self.made_of;
        if are_old && self.ordered.is_none() && self.orders.send(table.clone()).is_ok() {
            self.ordered = Some(Ordered { changed: Vec::new(), wanted: true });
        }
        known
    }

    /// Takes clusters that were made. None where they are not wanted any more.
    pub(super) fn made(&mut self, made: Made, table: &Table) -> Option<Clusters> {
        let ordered = self.ordered.take().filter(|ordered| ordered.wanted)?;
        let Made { mut clusters, homes } = made;
        if clusters.len() == 0 {
            return None;
        }
        self.homes = homes;
        self.made_of = self.homes.iter().flatten().count();
        self.changed = 0;
        for slot in ordered.changed {
            if let Some(vector) = table.vector(slot) {
                self.changed(slot, &vector, Some(&mut clusters));
            }
        }
        Some(clusters)
    }

    fn put(&mut self, slot: usize, vector: &Quantized, clusters: &mut Clusters) {
        let Ok(number) = u32::try_from(slot) else { return };
        if slot >= self.homes.len() {
            self.homes.resize(slot + 1, None);
        }
        if let Some(old) = self.homes[slot].take() {
            clusters.take(number, old as usize);
        }
        if let Some(home) = clusters.home(vector) {
            clusters.put(number, home);
            self.homes[slot] = u32::try_from(home).ok();
        }
    }
}

impl Made {
    fn of(table: &Table) -> Self {
        let mut clusters = Clusters::fitting(|slot| table.vector(slot), table.len());
        let home =
            |slot: usize| clusters.home(&table.vector(slot)?).and_then(|home| u32::try_from(home).ok());
        let homes: Vec<_> = (0..table.len()).into_par_iter().map(home).collect();
        for (slot, home) in (0..).zip(&homes) {
            if let Some(home) = home {
                clusters.put(slot, *home as usize);
            }
        }
        Self { clusters, homes }
    }
}

fn run(pool: &ThreadPool, ordered: &mpsc::Receiver<Table>, writer: &WeakSender<Job>) {
    while let Ok(table) = ordered.recv() {
        let made = pool.install(|| Made::of(&table));
        // The writer would copy what it changes while it is shared.
        drop(table);
        let Some(writer) = writer.upgrade() else { return };
        if writer.blocking_send(Job::Clusters(made)).is_err() {
            return;
        }
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
        (table, Clustering::start(10, writer.downgrade()).unwrap(), jobs, writer)
    }

    fn made(jobs: &mut Receiver<Job>) -> Made {
        match jobs.blocking_recv() {
            Some(Job::Clusters(made)) => made,
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
        assert!(clustering.published(None, &table).is_none());
        for (slot, degrees) in [(3, 98), (100, 1)] {
            table.put(slot, entry());
            table.set_vector(slot, &direction(degrees));
            clustering.changed(slot, &direction(degrees), None);
        }
        let clusters = clustering.made(made(&mut jobs), &table).unwrap();
        assert_eq!(all(&clusters), (0..=100).collect::<Vec<_>>());
        assert!(clusters.near(&direction(99), 1).contains(&3));
        assert!(clusters.near(&direction(0), 1).contains(&100));
        assert!(!clusters.near(&direction(0), 1).contains(&3));
    }

    #[test]
    fn they_are_made_anew_when_as_many_changed_as_there_were_and_are_gone_with_the_tools() {
        let (mut table, mut clustering, mut jobs, _writer) = hundred();
        assert!(clustering.published(None, &table).is_none());
        let mut clusters = clustering.made(made(&mut jobs), &table);
        for slot in 0..100 {
            clusters = clustering.published(clusters, &table);
            assert!(clustering.ordered.is_none(), "{slot}");
            clustering.changed(slot, &direction(slot + 100), clusters.as_mut());
            table.set_vector(slot, &direction(slot + 100));
        }
        clusters = clustering.published(clusters, &table);
        assert!(clusters.is_some() && clustering.ordered.is_some());
        (0..90).for_each(|slot| table.clear(slot));
        assert!(clustering.published(clusters, &table).is_none());
        assert!(clustering.made(made(&mut jobs), &table).is_none(), "nobody wants them any more");
    }
}
