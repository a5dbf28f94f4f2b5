//! A host that calls replicas in turn.

use crate::{
    adder::NAME,
    gateway::PATH,
    measure::Caller,
    wire::{Era, HttpCaller},
};
use std::{net::SocketAddr, sync::Arc};

/// A host with a connection to each of several replicas, which get its calls in turn. With sessions, it has a session at each replica.
#[derive(Debug, Clone)]
pub(super) struct RotatingCaller<C = HttpCaller>(Arc<[C]>);

impl RotatingCaller {
    /// Connects many hosts, each to all addresses.
    pub(super) async fn connect_many(
        count: usize,
        addresses: &[SocketAddr],
        era: Era,
    ) -> Result<Vec<Self>, String> {
        let mut callers = Vec::with_capacity(count);
        for _ in 0..count {
            let mut connections = Vec::with_capacity(addresses.len());
            for address in addresses {
                connections.push(HttpCaller::connect(*address, PATH, NAME, era).await?);
            }
            callers.push(Self(connections.into()));
        }
        Ok(callers)
    }
}

impl<C: Clone> RotatingCaller<C> {
    /// Returns the same host, which calls only the first replicas.
    pub(super) fn with_first(&self, replicas: usize) -> Self {
        Self(self.0.iter().take(replicas).cloned().collect())
    }
}

impl<C: Caller> Caller for RotatingCaller<C> {
    async fn call(&self, number: i64) -> Result<(), String> {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_rem(self.0.len()));
        match index.and_then(|index| self.0.get(index)) {
            Some(connection) => connection.call(number).await,
            None => Err(format!("call {number} has no replica")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::all_at_once;
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Counter(Arc<Mutex<usize>>);

    impl Caller for Counter {
        async fn call(&self, _: i64) -> Result<(), String> {
            *self.0.lock().unwrap() += 1;
            Ok(())
        }
    }

    #[tokio::test]
    async fn each_replica_gets_the_same_number_of_calls() {
        let replicas: Arc<[Counter]> = [(); 3].map(|()| Counter::default()).into();
        all_at_once(RotatingCaller(replicas.clone()), 4, 36).await.unwrap();
        let counts = || replicas.iter().map(|replica| *replica.0.lock().unwrap()).collect::<Vec<_>>();
        assert_eq!(counts(), [12, 12, 12]);
        all_at_once(RotatingCaller(replicas.clone()).with_first(2), 4, 36).await.unwrap();
        assert_eq!(counts(), [30, 30, 12]);
    }

    #[tokio::test]
    async fn a_call_without_a_replica_is_an_error() {
        let nobody = RotatingCaller::<Counter>(Arc::new([]));
        assert_eq!(nobody.call(7).await, Err("call 7 has no replica".to_owned()));
    }
}
