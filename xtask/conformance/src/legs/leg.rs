//! The legs.

use crate::suite::Side;

/// A part of this project that is under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Leg {
    /// The fixture, made with the server SDK.
    Server,
    /// The fixture behind the kernel.
    Gateway,
    /// The fixture behind three kernels, which share a database and are behind a balancer.
    Replicas,
    /// The client under test, made with the client SDK.
    Client,
}

impl Leg {
    /// In the order in which they run.
    pub(crate) const ALL: [Self; 4] = [Self::Server, Self::Gateway, Self::Replicas, Self::Client];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Gateway => "gateway",
            Self::Replicas => "replicas",
            Self::Client => "client",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|leg| leg.as_str() == text)
    }

    /// Returns the side that the suite tests the leg as.
    pub(crate) const fn side(self) -> Side {
        match self {
            Self::Server | Self::Gateway | Self::Replicas => Side::Server,
            Self::Client => Side::Client,
        }
    }
}
