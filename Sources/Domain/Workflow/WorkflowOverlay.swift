/// What one company asks beyond a version of a workflow: more conditions, more input, less time, other words.
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
  /// What is asked beyond the transitions' own rules, in file order.
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
    /// What people read.
    package let label: String
  }
}

/// What an overlay asks of one transition beside what the definition asks.
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

/// What an overlay changes about one state: its timers.
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
  /// How long after entering the state it fires; nil: as the definition says.
  package let delay: Delay?
  /// How long after a firing it fires again; nil: as the definition says.
  package let interval: Delay?

  /// Puts it together.
  package init(fire: String, delay: Delay? = nil, every interval: Delay? = nil) {
    self.fire = fire
    self.delay = delay
    self.interval = interval
  }
}
