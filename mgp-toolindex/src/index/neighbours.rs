//! The thread that makes a graph of all vectors, for indexes of very many tools. Until it is made, every vector is compared.

use super::writer::Job;
use crate::vectors::{Graph, Quantized};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::{
    io,
    sync::{Arc, mpsc},
    thread,
};
use tokio::sync::mpsc::WeakSender;

const NAME: &str = "mgp-neighbours";

/// From this share of tools that came after a graph was made, it is made anew; and never for fewer.
const MOST_RECENT: (usize, usize) = (10, 4_096);

/// The tools that a graph is made of: slots, and where their meanings lie.
type Order = Vec<(u32, Quantized)>;

/// What is known of the graph. The writer has it; with it, the thread ends.
pub(super) struct Neighbours {
    orders: mpsc::Sender<Order>,
    /// Up to so many tools none is needed.
    exact_to: usize,
    /// The slots that got a vector since the graph that is published was ordered.
    recent: Vec<u32>,
    /// The graph that is being made.
    ordered: Option<Ordered>,
    /// How many tools the published graph has.
    made_of: usize,
}

struct Ordered {
    /// How many recent slots there were then.
    recent: usize,
    /// Whether it is still wanted.
    wanted: bool,
}

/// What a search reads of it.
#[derive(Debug, Clone)]
pub(super) struct Near {
    pub(super) graph: Arc<Graph>,
    /// The slots that the graph does not know, or knows for another tool.
    pub(super) recent: Arc<Vec<u32>>,
}

impl Neighbours {
    /// Starts the thread.
    pub(super) fn start(exact_to: usize, writer: WeakSender<Job>) -> io::Result<Self> {
        let (orders, ordered) = mpsc::channel();
        // On half of the cores: others serve meanwhile.
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let pool = ThreadPoolBuilder::new().num_threads((cores / 2).max(1)).thread_name(|_| NAME.to_owned());
        let pool = pool.build().map_err(io::Error::other)?;
        let thread = thread::Builder::new().name(NAME.to_owned());
        thread.spawn(move || run(&pool, &ordered, &writer))?;
        Ok(Self { orders, exact_to, recent: Vec::new(), ordered: None, made_of: 0 })
    }

    /// Notes that a slot has a new vector.
    pub(super) fn changed(&mut self, slot: usize) {
        self.recent.extend(u32::try_from(slot));
    }

    /// What a search reads from now on, of an index of so many tools. `vectors` are asked for where a graph is to be made.
    pub(super) fn published(
        &mut self,
        known: Option<Near>,
        tools: usize,
        vectors: impl FnOnce() -> Order,
    ) -> Option<Near> {
        if tools <= self.exact_to {
            self.recent.clear();
            self.made_of = 0;
            self.ordered.iter_mut().for_each(|ordered| ordered.wanted = false);
            return None;
        }
        let (share, least) = MOST_RECENT;
        let is_old = self.made_of == 0 || self.recent.len() > (self.made_of / share).max(least);
        if is_old && self.ordered.is_none() && self.orders.send(vectors()).is_ok() {
            self.ordered = Some(Ordered { recent: self.recent.len(), wanted: true });
        }
        known.map(|near| self.near(near.graph))
    }

    /// Takes a graph that was made. None where it is not wanted any more.
    pub(super) fn made(&mut self, graph: Arc<Graph>) -> Option<Near> {
        let ordered = self.ordered.take().filter(|ordered| ordered.wanted)?;
        self.recent.drain(..ordered.recent);
        self.made_of = graph.len();
        Some(self.near(graph))
    }

    fn near(&self, graph: Arc<Graph>) -> Near {
        Near { graph, recent: Arc::new(self.recent.clone()) }
    }
}

fn run(pool: &ThreadPool, ordered: &mpsc::Receiver<Order>, writer: &WeakSender<Job>) {
    while let Ok(order) = ordered.recv() {
        let graph = Arc::new(pool.install(|| Graph::new(order.into_iter())));
        let Some(writer) = writer.upgrade() else { return };
        if writer.blocking_send(Job::Graph(graph)).is_err() {
            return;
        }
    }
}
