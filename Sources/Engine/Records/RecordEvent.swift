internal import Domain
package import Store

/// The events that the engine sends to webhooks for each change of a record, such as `maintenance.entry.created`.
///
/// A webhook that subscribes to `maintenance.entry.*` receives all of them, each once; not those that a workflow
/// names in effects. Records that are private to their owners send none: the company does not learn of them.
package enum RecordEvent: String, Sendable, CaseIterable {
  case created, updated, deleted, restored
  /// Any transition; the body names it.
  case transitioned

  /// Returns the name of the event for a type.
  package func name(of type: RecordType) -> String { "\(type.name).\(rawValue)" }

  /// Returns the name under which webhooks subscribe to every change of a type.
  package static func wildcard(of type: RecordType) -> String { "\(type.name).*" }

  /// Returns all names under which webhooks subscribe to changes of a type; empty for a private type.
  package static func subscriptions(of type: RecordType) -> [String] {
    guard type.definition.scope != .owner else { return [] }
    let events = allCases.filter { $0 != .transitioned || type.workflow != nil }
    return events.map { $0.name(of: type) } + [wildcard(of: type)]
  }
}
