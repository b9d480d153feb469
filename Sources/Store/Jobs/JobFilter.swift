package import Domain

/// Selects jobs by state, kind and queue; nil matches any.
package struct JobFilter: Sendable, Hashable {
  package var state: JobState?
  package var kind: String?
  package var queue: String?

  package init(state: JobState? = nil, kind: String? = nil, queue: String? = nil) {
    self.state = state
    self.kind = kind
    self.queue = queue
  }

  /// True if every job fits.
  package var isEmpty: Bool { self == JobFilter() }

  /// Reads conditions such as `state=dead,kind=solar.push`; a job has to meet all of them.
  ///
  /// - Throws: `invalid_input` for an unknown column or state, with the closest known one.
  package mutating func add(_ text: String) throws {
    for pair in text.split(separator: ",") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.filter { $0 != " " } }
      guard halves.count == 2, !halves[1].isEmpty else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(String(pair))) is not column=value",
          hint: "write state=dead, kind=solar.push or queue=default; several with a comma between them"
        )
      }
      switch halves[0] {
      case "state": state = try Self.state(halves[1])
      case "kind": kind = halves[1]
      case "queue": queue = halves[1]
      default:
        let columns = ["state", "kind", "queue"]
        throw DomainError(
          .invalidInput,
          "jobs are not chosen by \(Quoted(halves[0]))",
          hint: Suggestion.closest(to: halves[0], among: columns).map { "did you mean \($0)?" }
            ?? "there are \(columns.joined(separator: ", "))"
        )
      }
    }
  }

  /// Returns the state with a name.
  package static func state(_ name: String) throws -> JobState {
    if let state = JobState(rawValue: name) { return state }
    let all = JobState.allCases.map(\.rawValue)
    throw DomainError(
      .invalidInput,
      "there is no state \(Quoted(name))",
      hint: Suggestion.closest(to: name, among: all).map { "did you mean \($0)?" }
        ?? "there are \(all.joined(separator: ", "))"
    )
  }
}
