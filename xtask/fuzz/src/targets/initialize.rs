//! The envelope of the revisions with `initialize`: params and result are written as they were read, and both sides of a negotiation
//! come to the same result, whatever the client offers.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{InitializeParams, InitializeResult},
    negotiation::{ExtensionSet, ServerProfile, answer, conclude, read_offer},
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(read: &T) {
    let written = RawJson::from_value(read).expect("what was read can be written");
    assert_eq!(&written.decode::<T>().expect("what was written can be read"), read);
}

fn negotiate(client: &RawObject) {
    let _ = conclude(ExtensionSet::ALL, client);
    let Some(offer) = read_offer(client) else { return };
    let server = ServerProfile { extensions: ExtensionSet::ALL, ..ServerProfile::default() };
    let answered = answer(&offer, &server);
    let mut capabilities = RawObject::new();
    answered.put(&mut capabilities);
    let concluded = conclude(offer.extensions, &capabilities).expect("an answer can be concluded from");
    assert_eq!(concluded.extensions, answered.negotiated.extensions);
    assert_eq!(concluded.carrier, answered.negotiated.carrier);
}

pub(super) fn run(data: &[u8]) {
    let Ok(object) = RawObject::parse(data.to_vec()) else { return };
    negotiate(&object);
    if let Ok(params) = InitializeParams::from_object(object.clone()) {
        round_trip(&params);
        negotiate(&params.capabilities.0);
    }
    if let Ok(result) = InitializeResult::from_object(object) {
        round_trip(&result);
        negotiate(&result.capabilities.0);
    }
}
