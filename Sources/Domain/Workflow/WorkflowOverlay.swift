/// One company's restrictions of a workflow version: more guards, more input, shorter timers, other labels.
///
/// It may only tighten; ``loosening(of:in:)`` finds where it does not. A complete example:
///
/// ```yaml
/// overlay: maintenance.entry@1        # the workflow and the version it was written for
/// company: acme                       # may be left out where a command names the company
/// tighten:
///   transitions:
///     complete:
///       guards: [{ path: '$.hours_logged > 0', message: No hours are logged yet }]   # asked beside those it has
///       require: { fields: [completion_note], comment: { min: 10 } }                # beside those it has
///     pause: { disabled: true }
///   states:
///     pending: { after: { remind: { delay: P3D, repeat: P3D } } }                    # timers it has, sooner
/// relabel: { in_progress: In Arbeit }
/// ```
package struct WorkflowOverlay: Sendable, Hashable {
  /// The workflow it tightens.
  package let workflow: String
  /// The version it was written for.
  package let version: Int
  /// The company's short name; nil where a command says it.
  package let company: String?
  /// Restrictions of transitions, in file order.
  package let transitions: [TightenedTransition]
  /// Timers that run out sooner, by state, in file order.
  package let states: [TightenedState]
  /// Other words for states and transitions, sorted by name.
  package let labels: [Relabelling]

  /// Puts an overlay together.
  package init(
    workflow: String,
    version: Int,
    company: String? = nil,
    transitions: [TightenedTransition] = [],
    states: [TightenedState] = [],
    labels: [Relabelling] = []
  ) {
    self.workflow = workflow
    self.version = version
    self.company = company
    self.transitions = transitions
    self.states = states
    self.labels = labels
  }

  /// The same for another version.
  package func written(for version: Int) -> WorkflowOverlay {
    WorkflowOverlay(
      workflow: workflow,
      version: version,
      company: company,
      transitions: transitions,
      states: states,
      labels: labels
    )
  }

  /// Another word for a state or a transition.
  package struct Relabelling: Sendable, Hashable {
    /// Its name in the definition.
    package let name: String
    /// Label for people.
    package let label: String
  }
}

/// Restrictions that an overlay adds to one transition.
package struct TightenedTransition: Sendable, Hashable {
  /// The transition.
  package let name: String
  /// Conditions asked after the definition's own.
  package let guards: [TransitionGuard]
  /// Input required beside the definition's own.
  package let require: Requirements
  /// True takes the transition away; false, which would give it back, is refused.
  package let isDisabled: Bool?
  /// Keys that an overlay may not have, such as `permission`: each one is a way of loosening.
  package let surplus: [String]

  /// Puts it together.
  package init(
    name: String,
    guards: [TransitionGuard] = [],
    require: Requirements = Requirements(),
    isDisabled: Bool? = nil,
    surplus: [String] = []
  ) {
    self.name = name
    self.guards = guards
    self.require = require
    self.isDisabled = isDisabled
    self.surplus = surplus
  }
}

/// Timers that an overlay shortens in one state.
package struct TightenedState: Sendable, Hashable {
  /// The state.
  package let name: String
  /// Its timers, each named by what it fires.
  package let timers: [TightenedTimer]
  /// Keys that an overlay may not have, such as `final`.
  package let surplus: [String]

  /// Puts it together.
  package init(name: String, timers: [TightenedTimer] = [], surplus: [String] = []) {
    self.name = name
    self.timers = timers
    self.surplus = surplus
  }
}

/// A timer that an overlay lets run out sooner.
package struct TightenedTimer: Sendable, Hashable {
  /// The transition it fires.
  package let fire: String
  /// Delay after entering the state; nil: as in the definition.
  package let delay: Delay?
  /// Interval between firings; nil: as in the definition.
  package let interval: Delay?

  /// Puts it together.
  package init(fire: String, delay: Delay? = nil, every interval: Delay? = nil) {
    self.fire = fire
    self.delay = delay
    self.interval = interval
  }
}
