//! The envelope of the stateless revisions: the description of the client in every request, rounds of input, subscriptions, tasks,
//! and the members that complete every result.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{
        CacheHint, Implementation, InputRequired, InputResponses, ListenParams,
        stateless::{Completion, RequestEnvelope},
        tasks,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(json: &RawJson) {
    let Ok(read) = json.decode::<T>() else { return };
    let written = RawJson::from_value(&read).expect("what was read can be written");
    assert_eq!(written.decode::<T>().expect("what was written can be read"), read);
}

pub(super) fn run(data: &[u8]) {
    let Ok(object) = RawObject::parse(data.to_vec()) else { return };
    let json = object.to_json();

    if let Ok(envelope) = RequestEnvelope::read(&object) {
        let mut written = RawObject::new();
        envelope.write(&mut written);
        assert_eq!(RequestEnvelope::read(&written), Ok(envelope));
        RequestEnvelope::strip(&mut written);
        assert!(written.is_empty(), "all of it is taken out");
    }
    let mut stripped = object.clone();
    RequestEnvelope::strip(&mut stripped);
    assert!(RequestEnvelope::version_in(&stripped).is_none());

    if let Ok(required) = InputRequired::read(&json) {
        // Absent params are written as empty ones, so the second text is compared with the first.
        let written = required.to_json();
        let again = InputRequired::read(&written).expect("what was written can be read");
        assert_eq!(again.to_json(), written);
    }
    if let Ok(brought) = InputResponses::read(&object) {
        let mut written = RawObject::new();
        brought.clone().write(&mut written);
        assert_eq!(InputResponses::read(&written), Ok(brought));
    }
    round_trip::<ListenParams>(&json);
    round_trip::<tasks::core::Task>(&json);
    round_trip::<tasks::Task>(&json);
    round_trip::<tasks::extension::UpdateTaskParams>(&json);

    let completed = Completion::new(&Implementation::new("a", "1")).complete(&json, Some(CacheHint::NONE));
    let completed = RawObject::parse(completed.bytes().clone()).expect("no key stands twice");
    assert!(completed.get("resultType").is_some());
    assert!(object.iter().all(|(key, _)| completed.get(key).is_some()), "nothing is lost");
}
