//! Values that are read at each scrape: servers, queues, hosts.

use super::label::label;
use crate::{
    catalog::tools::Tools,
    host::{Hosts, parking::ParkingLayer},
    upstream::{Server, servers::Servers},
};
use jiff::Timestamp;
use mgp_types::lifecycle::ServerState;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, NoLabelSet},
    metrics::MetricType,
};
use std::{fmt, sync::Arc};

/// The parts of a kernel whose values are read at each scrape.
#[derive(Debug, Clone)]
pub(crate) struct ScrapedParts {
    pub(crate) started_at: Timestamp,
    pub(crate) hosts: Hosts,
    pub(crate) parking: ParkingLayer,
    pub(crate) tools: Arc<Tools>,
    pub(crate) servers: Arc<Servers>,
}

/// A kernel, and the number of TCP connections to it, if it is served over HTTP.
#[derive(Debug)]
pub(super) struct KernelCollector {
    pub(super) parts: ScrapedParts,
    pub(super) connections: Option<(usize, usize)>,
}

impl Collector for KernelCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Self { parts: ScrapedParts { started_at, hosts, parking, tools, .. }, connections } = self;
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        // A gauge, because the older format of Prometheus has no type for information.
        encoder
            .encode_descriptor("build_info", "The version.", None, MetricType::Gauge)?
            .encode_family(&version)?
            .encode_gauge(&1_i64)?;
        let started = started_at.as_second();
        gauge(&mut encoder, "start_time_seconds", "The start, in seconds since 1970.", started)?;
        gauge(&mut encoder, "hosts", "The hosts that have a session.", hosts.count() as i64)?;
        let parked = "The calls of stateless hosts that wait for an answer of their host.";
        gauge(&mut encoder, "parked_calls", parked, parking.count() as i64)?;
        let unread = *tools.names.index().waiting().borrow();
        gauge(&mut encoder, "index_unread_tools", "The tools that wait for the embedder.", unread as i64)?;
        if let Some((authenticated, others)) = *connections {
            let help = "The open TCP connections, by whether a request on them has authenticated.";
            let mut metric = encoder.encode_descriptor("http_connections", help, None, MetricType::Gauge)?;
            for (value, count) in [("true", authenticated), ("false", others)] {
                metric.encode_family(&[("authenticated", value)])?.encode_gauge(&(count as i64))?;
            }
        }
        self.servers(&mut encoder)
    }
}

impl KernelCollector {
    fn servers(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let servers = self.parts.servers.all();
        let mut of_servers = |name: &str, help: &str, read: fn(&Server) -> i64| {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for server in servers.iter() {
                metric.encode_family(&[("server", label(server.id()))])?.encode_gauge(&read(server))?;
            }
            Ok::<_, fmt::Error>(())
        };
        of_servers("server_up", "Whether the server is connected: 1 or 0.", |server| {
            i64::from(server.status().state == ServerState::Connected)
        })?;
        of_servers("server_calls_in_flight", "The calls that the server is working on.", |server| {
            server.in_flight() as i64
        })?;
        of_servers("server_calls_queued", "The calls that wait for a turn at the server.", |server| {
            server.queued() as i64
        })?;
        of_servers("server_tools", "The tools that the server listed last.", |server| {
            server.tools().len() as i64
        })?;
        let restarts = "The number of times that the server was started again.";
        let mut metric = encoder.encode_descriptor("server_restarts", restarts, None, MetricType::Counter)?;
        for server in servers.iter() {
            let labels = [("server", label(server.id()))];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, f64>(&server.restarts(), None)?;
        }
        Ok(())
    }
}

fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: i64) -> fmt::Result {
    encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)
}
