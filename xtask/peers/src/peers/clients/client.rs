//! The clients, each in the eras that it supports.

use super::{
    Call, HostResults, HostUser, Reach,
    inspector::{self, Generation},
    script,
};
use crate::{install::Package, rows::Folder};
use mgp_client_sdk::Era;

/// A client that plays a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostClient {
    /// Inspector's command line on the official SDK's first version.
    Inspector1,
    /// Inspector's command line on the SDK's second version.
    Inspector2(Era),
    /// The official Python SDK's first version.
    Python1,
    /// The official Python SDK's second version.
    Python2(Era),
    /// The official TypeScript SDK.
    TypeScript(Era),
}

impl HostClient {
    pub(crate) const ALL: [Self; 8] = [
        Self::Inspector1,
        Self::Inspector2(Era::Initialize),
        Self::Inspector2(Era::Stateless),
        Self::Python1,
        Self::Python2(Era::Initialize),
        Self::Python2(Era::Stateless),
        Self::TypeScript(Era::Initialize),
        Self::TypeScript(Era::Stateless),
    ];

    /// Returns the client's name in the names of rows.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Inspector1 => "inspector1",
            Self::Inspector2(Era::Initialize) => "inspector2-initialize",
            Self::Inspector2(Era::Stateless) => "inspector2-stateless",
            Self::Python1 => "python1",
            Self::Python2(Era::Initialize) => "python2-initialize",
            Self::Python2(Era::Stateless) => "python2-stateless",
            Self::TypeScript(Era::Initialize) => "typescript-initialize",
            Self::TypeScript(Era::Stateless) => "typescript-stateless",
        }
    }

    /// Returns the packages that the client needs.
    pub(crate) const fn packages(self) -> &'static [Package] {
        match self {
            Self::Inspector1 => &[Package::Inspector1],
            Self::Inspector2(_) => &[Package::Inspector2, Package::Node22],
            Self::Python1 => &[Package::PythonSdk1],
            Self::Python2(_) => &[Package::PythonSdk2],
            Self::TypeScript(_) => &[Package::TypescriptSdk, Package::Node22],
        }
    }

    /// Returns the client's era.
    pub(crate) const fn era(self) -> Era {
        match self {
            Self::Inspector1 | Self::Python1 => Era::Initialize,
            Self::Inspector2(era) | Self::Python2(era) | Self::TypeScript(era) => era,
        }
    }

    /// Returns `true` if the client runs a process for each list and each call.
    pub(crate) const fn connects_for_each(self) -> bool {
        matches!(self, Self::Inspector1 | Self::Inspector2(_))
    }

    /// Lists everything that the server offers, then makes the calls in order.
    pub(crate) async fn play(
        self,
        folder: &Folder,
        reach: &Reach,
        calls: &[Call],
    ) -> Result<HostResults, String> {
        self.play_for(HostUser::Absent, folder, reach, calls).await
    }

    /// Does what [`play`](Self::play) does, for a user. Inspector's command line has none.
    pub(crate) async fn play_for(
        self,
        user: HostUser,
        folder: &Folder,
        reach: &Reach,
        calls: &[Call],
    ) -> Result<HostResults, String> {
        match self {
            Self::Inspector1 => inspector::play(Generation::First, folder, reach, calls).await,
            Self::Inspector2(era) => inspector::play(Generation::Second(era), folder, reach, calls).await,
            Self::Python1 => script::play(script::python_sdk1(), None, folder, reach, calls, user).await,
            Self::Python2(era) => {
                script::play(script::python_sdk2(), Some(era), folder, reach, calls, user).await
            }
            Self::TypeScript(era) => {
                script::play(script::typescript(), Some(era), folder, reach, calls, user).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_client_has_a_name_of_its_own_and_each_era_has_clients() {
        let names: HashSet<_> = HostClient::ALL.map(HostClient::name).into();
        assert_eq!(names.len(), HostClient::ALL.len());
        let stateless = HostClient::ALL.iter().filter(|client| client.era() == Era::Stateless).count();
        assert_eq!(stateless, 3);
    }
}
