//! `prompts/get`.

use super::Prompt;
use crate::{
    Error,
    call::{App, Arguments, Call},
    completion::Completers,
    handler::{BoxHandler, RunningHandler, replied},
    needs::{HandlerKind, Needs},
};
use mgp_transport::seam::{Incoming, Role, Routes};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{GetPrompt, GetPromptParams, GetPromptResult},
    printable::quoted,
    rpc::ErrorObject,
};
use std::{collections::HashMap, sync::Arc};

/// The prompts of a server.
#[derive(Debug, Default)]
pub(crate) struct Prompts {
    by_name: HashMap<String, (BoxHandler<GetPromptResult>, Completers)>,
    definitions: Vec<RawJson>,
}

impl Prompts {
    /// Collects prompts. `check` checks the needs of the handlers.
    pub(crate) fn new(
        prompts: Vec<Prompt>,
        mut check: impl FnMut(HandlerKind, &str, &Needs) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut all = Self::default();
        for Prompt { definition, needs, handler, completers } in prompts {
            check(HandlerKind::Prompt, &definition.name, &needs)?;
            completers
                .needs()
                .try_for_each(|needs| check(HandlerKind::Completion, &definition.name, needs))?;
            let arguments = definition.arguments.iter().flatten().map(|argument| argument.name.as_str());
            completers.check(&definition.name, arguments)?;
            all.definitions.push(RawJson::from_value(&definition)?);
            if all.by_name.insert(definition.name.clone(), (handler, completers)).is_some() {
                return Err(Error::Duplicate { kind: "prompt", name: definition.name });
            }
        }
        Ok(all)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(crate) fn definitions(&self) -> &[RawJson] {
        &self.definitions
    }

    /// Returns the functions that complete the arguments of a prompt, or `None` if there is no such prompt.
    pub(crate) fn completers(&self, name: &str) -> Option<&Completers> {
        self.by_name.get(name).map(|(_, completers)| completers)
    }

    pub(crate) fn has_completers(&self) -> bool {
        self.by_name.values().any(|(_, completers)| !completers.is_empty())
    }

    /// Returns `prompts/get`.
    pub(crate) fn getting() -> Routes<(Arc<Self>, Arc<App>)> {
        Routes::new().route(GetPrompt, Role::Anyone, async |(prompts, app): (Arc<Self>, _), message| {
            replied(prompts.get(message, app)?).await
        })
    }

    /// Answers `prompts/get`.
    fn get(&self, incoming: Incoming, app: Arc<App>) -> Result<RunningHandler<GetPromptResult>, ErrorObject> {
        let GetPromptParams { name, arguments, .. } = incoming.params.decode()?;
        let (handler, _) = self
            .by_name
            .get(&name)
            .ok_or_else(|| ErrorObject::invalid_params(format!("unknown prompt: {}", quoted(&name))))?;
        let arguments = Arguments::Texts(texts(&arguments.unwrap_or_default())?);
        Ok(handler.start(Call::new(incoming, arguments, app)))
    }
}

/// Reads an object whose members are all texts.
pub(crate) fn texts(object: &RawObject) -> Result<Vec<(String, String)>, ErrorObject> {
    let text = |(key, json): (&str, &RawJson)| match json.to_text() {
        Some(text) => Ok((key.to_owned(), text)),
        None => {
            let kind = json.kind_without_text();
            let problem = format!("invalid params: arguments.{key}: expected a string, found {kind}");
            Err(ErrorObject::invalid_params(problem))
        }
    };
    object.iter().map(text).collect()
}
