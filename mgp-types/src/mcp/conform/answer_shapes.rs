//! The shapes of servers' answers, by MCP's revisions up to 2026-07-28.

use super::{
    definitions::{ANNOTATIONS, ICONS, optional, required},
    shape::{Member, Shape},
};
use crate::{
    mcp::{
        CallTool, Complete, Discover, GetPrompt, Initialize, ProtocolVersion, ReadResource,
        tasks::core::{GetTaskPayload, RELATED_TASK_KEY},
    },
    rpc::Call,
};

const META: Member = optional("_meta", Shape::AnyObject);

/// The metadata of an answer. Hosts' SDKs refuse an answer for wrong values of these members.
const ANSWER_META: Member = optional(
    "_meta",
    Shape::Object(&[
        optional("progressToken", Shape::Token),
        optional(RELATED_TASK_KEY, Shape::Object(&[required("taskId", Shape::Text)])),
    ]),
);

const TEXT: Shape = Shape::Object(&[
    required("type", Shape::OneOf(&["text"])),
    required("text", Shape::Text),
    optional("annotations", ANNOTATIONS),
    META,
]);

const IMAGE: Shape = Shape::Object(&[
    required("type", Shape::OneOf(&["image"])),
    required("data", Shape::Base64),
    required("mimeType", Shape::Text),
    optional("annotations", ANNOTATIONS),
    META,
]);

const AUDIO: Shape = Shape::Object(&[
    required("type", Shape::OneOf(&["audio"])),
    required("data", Shape::Base64),
    required("mimeType", Shape::Text),
    optional("annotations", ANNOTATIONS),
    META,
]);

/// The contents of a resource.
pub(super) const CONTENTS: Shape = Shape::AnyOf(&[
    Shape::Object(&[
        required("uri", Shape::Uri),
        required("text", Shape::Text),
        optional("mimeType", Shape::Text),
        META,
    ]),
    Shape::Object(&[
        required("uri", Shape::Uri),
        required("blob", Shape::Base64),
        optional("mimeType", Shape::Text),
        META,
    ]),
]);

const RESOURCE: Shape = Shape::Object(&[
    required("type", Shape::OneOf(&["resource"])),
    required("resource", CONTENTS),
    optional("annotations", ANNOTATIONS),
    META,
]);

const LINK: Shape = Shape::Object(&[
    required("type", Shape::OneOf(&["resource_link"])),
    required("uri", Shape::Uri),
    required("name", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    optional("mimeType", Shape::Text),
    optional("size", Shape::Integer),
    optional("annotations", ANNOTATIONS),
    optional("icons", ICONS),
    META,
]);

const BLOCK_2024: Shape = Shape::AnyOf(&[TEXT, IMAGE, RESOURCE]);
const BLOCK_2025_03: Shape = Shape::AnyOf(&[TEXT, IMAGE, RESOURCE, AUDIO]);
const BLOCK: Shape = Shape::AnyOf(&[TEXT, IMAGE, RESOURCE, AUDIO, LINK]);

const fn call_result(block: &'static Shape, structured: Shape) -> [Member; 4] {
    [
        required("content", Shape::List(block)),
        optional("structuredContent", structured),
        optional("isError", Shape::Flag),
        ANSWER_META,
    ]
}

const CALL_2024: &[Member] = &call_result(&BLOCK_2024, Shape::AnyObject);
const CALL_2025_03: &[Member] = &call_result(&BLOCK_2025_03, Shape::AnyObject);
const CALL_2025: &[Member] = &call_result(&BLOCK, Shape::AnyObject);
const CALL: &[Member] = &call_result(&BLOCK, Shape::Any);

const READ: &[Member] = &[required("contents", Shape::List(&CONTENTS)), ANSWER_META];

pub(super) const ROLE: Shape = Shape::OneOf(&["user", "assistant"]);
const MESSAGE_2024: Shape = Shape::Object(&[required("role", ROLE), required("content", BLOCK_2024)]);
const MESSAGE_2025_03: Shape = Shape::Object(&[required("role", ROLE), required("content", BLOCK_2025_03)]);
const MESSAGE: Shape = Shape::Object(&[required("role", ROLE), required("content", BLOCK)]);

const fn prompt_result(message: &'static Shape) -> [Member; 3] {
    [optional("description", Shape::Text), required("messages", Shape::List(message)), ANSWER_META]
}

const PROMPT_2024: &[Member] = &prompt_result(&MESSAGE_2024);
const PROMPT_2025_03: &[Member] = &prompt_result(&MESSAGE_2025_03);
const PROMPT: &[Member] = &prompt_result(&MESSAGE);

const COMPLETION: &[Member] = &[
    required(
        "completion",
        Shape::Object(&[
            required("values", Shape::ShortList(&Shape::Text, 100)),
            optional("total", Shape::Integer),
            optional("hasMore", Shape::Flag),
        ]),
    ),
    ANSWER_META,
];

/// A server's name and version.
const INFO: Shape = Shape::Object(&[
    required("name", Shape::Text),
    required("version", Shape::Text),
    optional("title", Shape::Text),
    optional("description", Shape::Text),
    optional("websiteUrl", Shape::Text),
    optional("icons", ICONS),
]);

const INITIALIZE: &[Member] = &[
    required("protocolVersion", Shape::Text),
    required("capabilities", Shape::AnyObject),
    required("serverInfo", INFO),
    optional("instructions", Shape::Text),
    ANSWER_META,
];

const DISCOVER: &[Member] = &[
    required("supportedVersions", Shape::List(&Shape::Text)),
    required("capabilities", Shape::AnyObject),
    optional("instructions", Shape::Text),
    ANSWER_META,
];

/// The kind of an answer.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Initialize,
    Discover,
    Call,
    Read,
    Prompt,
    Completion,
}

impl Kind {
    /// Returns the kind of the answers to a method, or `None` for a method whose answers are not checked.
    pub(super) fn of(method: &str) -> Option<Self> {
        match method {
            Initialize::METHOD => Some(Self::Initialize),
            Discover::METHOD => Some(Self::Discover),
            CallTool::METHOD | GetTaskPayload::METHOD => Some(Self::Call),
            ReadResource::METHOD => Some(Self::Read),
            GetPrompt::METHOD => Some(Self::Prompt),
            Complete::METHOD => Some(Self::Completion),
            _ => None,
        }
    }

    /// Returns the members of an answer of this kind in a revision.
    pub(super) const fn members(self, version: ProtocolVersion) -> &'static [Member] {
        match (self, version) {
            (Self::Call, ProtocolVersion::V2024_11_05) => CALL_2024,
            (Self::Call, ProtocolVersion::V2025_03_26) => CALL_2025_03,
            (Self::Call, ProtocolVersion::V2025_06_18 | ProtocolVersion::V2025_11_25) => CALL_2025,
            (Self::Call, ProtocolVersion::V2026_07_28) => CALL,
            (Self::Initialize, _) => INITIALIZE,
            (Self::Discover, _) => DISCOVER,
            (Self::Read, _) => READ,
            (Self::Prompt, ProtocolVersion::V2024_11_05) => PROMPT_2024,
            (Self::Prompt, ProtocolVersion::V2025_03_26) => PROMPT_2025_03,
            (Self::Prompt, _) => PROMPT,
            (Self::Completion, _) => COMPLETION,
        }
    }
}

/// Returns the shape of a block of content in a revision.
pub(super) const fn block(version: ProtocolVersion) -> Shape {
    match version {
        ProtocolVersion::V2024_11_05 => BLOCK_2024,
        ProtocolVersion::V2025_03_26 => BLOCK_2025_03,
        _ => BLOCK,
    }
}
