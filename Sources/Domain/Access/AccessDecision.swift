/// The result of an access question, with every check that led to it.
package struct AccessDecision: Sendable, Hashable, Codable {
  /// The checks in order; the first that fails is the last.
  package let steps: [Step]

  /// One check and its result.
  package struct Step: Sendable, Hashable, Codable {
    /// The name of the check, such as `role`.
    package let name: String
    /// True if the check passed.
    package let passed: Bool
    /// The result in one sentence.
    package let finding: String
    /// The code of the refusal; nil if the check passed.
    package let code: ErrorCode?
  }

  /// True if every check passed.
  package var isAllowed: Bool { !steps.isEmpty && steps.allSatisfy(\.passed) }

  /// The refusal; nil if the action is allowed.
  package var refusal: DomainError? {
    guard let step = steps.last, !step.passed else { return nil }
    return DomainError(step.code ?? .forbidden, step.finding)
  }
}
