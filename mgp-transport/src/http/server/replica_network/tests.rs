//! Replicas that connect to each other on this machine.

use super::{ReplicaNetwork, certificates};
use crate::{
    http::server::replicas::{ForwardError, ForwardToReplica, ReplicaTarget},
    seam::{BoxError, ReplicaAuthority, ReplicaStore, SessionRecord, StoredSession},
};
use async_trait::async_trait;
use axum::{Router, routing};
use bytes::Bytes;
use http_body_util::BodyExt;
use std::sync::Arc;

/// A store that only has an authority.
#[derive(Debug)]
struct Authority(String, ReplicaAuthority);

#[async_trait]
impl ReplicaStore for Authority {
    fn id(&self) -> &str {
        &self.0
    }

    async fn authority(&self, _: ReplicaAuthority) -> Result<ReplicaAuthority, BoxError> {
        Ok(self.1.clone())
    }

    async fn renew(&self, _: &str) -> Result<(), BoxError> {
        Ok(())
    }

    async fn leave(&self) -> Result<(), BoxError> {
        Ok(())
    }

    async fn address(&self, _: &str) -> Result<Option<String>, BoxError> {
        Ok(None)
    }

    async fn open(&self, _: &str, _: &SessionRecord) -> Result<bool, BoxError> {
        Ok(true)
    }

    async fn change(&self, _: &str, _: i64, _: &SessionRecord) -> Result<(), BoxError> {
        Ok(())
    }

    async fn find(&self, _: &str) -> Result<Option<StoredSession>, BoxError> {
        Ok(None)
    }

    async fn take_over(&self, _: &str, _: &StoredSession) -> Result<bool, BoxError> {
        Ok(false)
    }

    async fn release(&self, _: &str, _: i64) -> Result<(), BoxError> {
        Ok(())
    }

    async fn close(&self, _: &str, _: i64) -> Result<(), BoxError> {
        Ok(())
    }

    async fn owned(&self) -> Result<Vec<(String, i64)>, BoxError> {
        Ok(Vec::new())
    }
}

async fn network(id: &str, authority: &ReplicaAuthority) -> ReplicaNetwork {
    let store = Authority(id.to_owned(), authority.clone());
    ReplicaNetwork::bind(&store, "127.0.0.1:0".parse().unwrap(), None).await.unwrap()
}

fn request() -> http::Request<Bytes> {
    http::Request::post("/echo?x=1").header("x-of-host", "h").body(Bytes::from_static(b"text")).unwrap()
}

fn echo() -> Router {
    Router::new()
        .route("/echo", routing::post(|uri: http::Uri, body: Bytes| async move { format!("{uri} {body:?}") }))
}

/// Serves the first replica, and forwards a request by the client of the second.
async fn forwarded(
    server: (&str, &ReplicaAuthority),
    client: (&str, &ReplicaAuthority),
    to: &str,
) -> Result<String, ForwardError> {
    let (server, client) = (network(server.0, server.1).await, network(client.0, client.1).await);
    let target = ReplicaTarget { id: to.to_owned(), address: server.client().address().to_owned() };
    let _running = server.serve(echo());
    let response = client.client().forward(&target, request()).await?;
    let text = response.into_body().collect().await.unwrap().to_bytes();
    Ok(String::from_utf8(text.to_vec()).unwrap())
}

#[tokio::test]
async fn only_replicas_of_one_store_reach_each_other() {
    let (ours, theirs) = (certificates::fresh_authority().unwrap(), certificates::fresh_authority().unwrap());
    assert_eq!(forwarded(("0a", &ours), ("0b", &ours), "0a").await.unwrap(), "/echo?x=1 b\"text\"");
    // The server is another replica than the one at this address before.
    let wrong_name = forwarded(("0a", &ours), ("0b", &ours), "0c").await;
    assert!(matches!(wrong_name, Err(ForwardError::Unreached(_))), "{wrong_name:?}");
    let wrong_server = forwarded(("0a", &theirs), ("0b", &ours), "0a").await;
    assert!(matches!(wrong_server, Err(ForwardError::Unreached(_))), "{wrong_server:?}");
}

#[tokio::test]
async fn a_client_without_a_certificate_is_refused() {
    let ours = certificates::fresh_authority().unwrap();
    let theirs = certificates::fresh_authority().unwrap();
    let server = network("0a", &ours).await;
    let address = server.client().address().to_owned();
    let _running = server.serve(echo());
    // Clients that trust the replica's certificate, one without a certificate, one with another authority's.
    let mut roots = rustls::RootCertStore::empty();
    roots.add(ours.certificate.clone().into()).unwrap();
    let roots = Arc::new(roots);
    let builder = || {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots.clone())
    };
    let key = rcgen::KeyPair::try_from(theirs.key.as_slice()).unwrap();
    let own = rcgen::CertificateParams::new(vec!["0b".to_owned()]).unwrap().self_signed(&key).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(theirs.key.clone()).into();
    let foreign = builder().with_client_auth_cert(vec![own.der().clone()], key).unwrap();
    for tls in [builder().with_no_client_auth(), foreign] {
        let client = super::client::ReplicaClient::new("127.0.0.1:1".to_owned(), tls).unwrap();
        let target = ReplicaTarget { id: "0a".to_owned(), address: address.clone() };
        let refused = client.forward(&target, request()).await;
        assert!(refused.is_err(), "{refused:?}");
    }
    // A host that speaks plain HTTP gets no answer either.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let plain = reqwest::Client::builder().no_proxy().build().unwrap();
    assert!(plain.post(format!("http://{address}/echo")).body("text").send().await.is_err());
}

#[tokio::test]
async fn a_replica_that_is_not_there_was_not_reached() {
    let ours = certificates::fresh_authority().unwrap();
    let client = network("0b", &ours).await;
    let gone = network("0a", &ours).await;
    let target = ReplicaTarget { id: "0a".to_owned(), address: gone.client().address().to_owned() };
    drop(gone);
    let sent = client.client().forward(&target, request()).await;
    assert!(matches!(sent, Err(ForwardError::Unreached(_))), "{sent:?}");
}
