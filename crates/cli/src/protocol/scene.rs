//! A run as a scene: who took which step, and which message it was taken upon.

use hobgoblin_report::{Act, Scene, SceneArrow, SceneBox};

use super::report::Violation;

/// The steps of a run, one lane a process.
pub(super) fn scene(violation: &Violation) -> Scene {
    let mut scene = Scene { order: "In the order of the run.".to_owned(), ..Scene::default() };
    for step in &violation.steps {
        let lane = scene.lanes.iter().position(|name| *name == step.process).unwrap_or_else(|| {
            scene.lanes.push(step.process.clone());
            scene.boxes.push(SceneBox {
                name: step.process.clone(),
                title: String::new(),
                lane: scene.boxes.len(),
            });
            scene.lanes.len() - 1
        });
        let at = scene.acts.len();
        let mut came = String::new();
        if let Some(received) = &step.received {
            came = format!("upon {} of {}", received.message, received.from);
            let sender = scene.acts.iter().rposition(|act| scene.lanes[act.of] == received.from);
            if let Some(sender) = sender {
                let says =
                    format!("{} sent {} to {}.", received.from, received.message, step.process);
                scene.arrows.push(SceneArrow {
                    ends: (sender, at),
                    label: received.message.clone(),
                    says,
                });
            }
        }
        scene.acts.push(Act { of: lane, text: step.does.clone(), came, ..Act::default() });
    }
    scene
}
