package import Engine
package import Jobs

/// The compiled part of an app, beyond its manifest.
///
/// The engine knows an app's types, workflows and permissions from the manifest. Conform to this protocol to add rules
/// that read other rows and job handlers, and name the conforming type in ``CompiledApps``. Commands, routes and demo
/// data are in `AppInterface`, so that the engine's tests need none of them.
package protocol App: Sendable {
  /// The app's name, as in its manifest.
  var name: String { get }

  /// Rules of the app's record types, and the records that a new company starts with.
  var rules: AppRules { get }

  /// Returns the handlers of the app's jobs.
  func handlers(_ setup: HandlerSetup) -> [any JobHandler]

  /// Returns the tasks of the app that run in programs of the operator.
  func tasks(_ records: Records) -> [any ProgramTask]
}

extension App {
  /// No compiled rules.
  package var rules: AppRules { .none }
  /// Returns no handlers.
  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [] }
  /// Returns no program tasks.
  package func tasks(_ records: Records) -> [any ProgramTask] { [] }
}
