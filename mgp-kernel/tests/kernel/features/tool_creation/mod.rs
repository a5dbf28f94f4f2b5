//! §16.6 Tools that are made of an agent's code, with a real Python, in both eras.

mod made;
mod refused;
mod session;
mod support;
