//! Tests of several issuers.

use crate::{authority::Authority, rig::Rig, signer::Signer};
use mgp_security::identity::oauth::{Issuer, KeySet};
use serde_json::json;

fn given(id: &str, signer: &Signer) -> Issuer {
    let keys = json!({ "keys": [signer.jwk()] }).to_string();
    Issuer::new(id).keys(KeySet::parse(keys.as_bytes()).unwrap())
}

#[tokio::test]
async fn no_issuer_vouches_for_another_and_users_do_not_mix() {
    let (one, two) = (Signer::new("k"), Signer::new("k"));
    let rig = Rig::new(|builder, _| {
        builder
            .issuer(given("https://one.example", &one).agent_prefix("one:"))
            .issuer(given("https://two.example", &two).agent_prefix("two:"))
    })
    .await;
    let claims = |issuer: &str| rig.claims(&json!({ "iss": issuer }));
    assert_eq!(rig.whoami(&one.token(&claims("https://one.example"))).await.0, "one:alice");
    assert_eq!(rig.whoami(&two.token(&claims("https://two.example"))).await.0, "two:alice");
    rig.open(&two.token(&claims("https://one.example"))).await.is_no_token("signature is wrong");
    rig.open(&one.token(&claims("https://three.example"))).await.is_no_token("(iss)");
    assert_eq!(rig.authority.keys_asked(), 0);
}

#[tokio::test]
async fn an_issuer_s_own_metadata_locates_its_keys() {
    let signer = Signer::new("k");
    for (says_it_is, status) in [(None, 200), (Some("https://other.example"), 503)] {
        let rig =
            Rig::new(|builder, authority: &Authority| builder.issuer(Issuer::new(&authority.issuer))).await;
        rig.authority.publish(&[&signer]);
        let says_it_is = says_it_is.unwrap_or(&rig.authority.issuer);
        *rig.authority.shared.metadata.lock() = crate::authority::Answer::Json(json!({
            "issuer": says_it_is, "jwks_uri": rig.authority.keys_url(),
        }));
        let opened = rig.open(&signer.token(&rig.claims(&json!({})))).await;
        assert_eq!(opened.status(), status, "{opened:?}");
    }
}
