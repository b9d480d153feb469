/// The answer to an access question: the checks that ran, with their results.
package struct AccessDecision: Sendable, Hashable, Codable {
  /// The results in the order of the checks. If a check failed, it is the last.
  package let steps: [Step]

  /// One check and its result.
  package struct Step: Sendable, Hashable, Codable {
    /// The name of the check, such as `role`.
    package let name: String
    /// True if the check passed.
    package let passed: Bool
    /// The result in one sentence; for a failed check, the message of its error.
    package let finding: String
    /// The error code of a failed check; nil if the check passed.
    package let code: ErrorCode?
  }

  /// True if every check passed.
  package var isAllowed: Bool { !steps.isEmpty && steps.allSatisfy(\.passed) }

  /// The error of the failed check; nil if the action is allowed.
  package var refusal: DomainError? {
    guard let step = steps.last, !step.passed else { return nil }
    return DomainError(step.code ?? .forbidden, step.finding)
  }
}
