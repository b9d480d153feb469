/// A test in a workflow's file: steps taken on one record. It runs when the file is validated.
package struct WorkflowTest: Sendable, Hashable {
  /// The name of the test.
  package let name: String
  /// The columns of the record at the beginning. The record is in the initial state.
  package let given: JSONObject
  /// The steps in order.
  package let steps: [Step]

  /// An attempted transition and the expected result.
  package struct Step: Sendable, Hashable {
    /// The role of the actor; `system` for a system transition.
    package let role: String
    /// The attempted transition.
    package let transition: String
    /// The comment of the request; nil for none.
    package let comment: String?
    /// The fields of the request.
    package let fields: JSONObject
    /// The expected result.
    package let outcome: Outcome
  }

  /// The expected result of a step.
  package enum Outcome: Sendable, Hashable {
    /// The transition succeeds, and the record is in this state.
    case state(String)
    /// The transition is refused with this error code.
    case refusal(ErrorCode)
  }
}

extension WorkflowTest: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, given, steps
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["name", "given", "steps"])
    name = try object.required("name")
    given = try object.value("given", default: [:])
    steps = try object.required("steps")
  }
}

extension WorkflowTest.Step: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case role = "as"
    case transition = "do"
    case comment, fields, expect, refuse
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    role = try object.required("as")
    transition = try object.required("do")
    comment = try object.optional("comment")
    fields = try object.value("fields", default: [:])
    switch (try object.optional("expect", as: String.self), try object.optional("refuse", as: String.self)) {
    case (let state?, nil):
      outcome = .state(state)
    case (nil, let text?):
      guard let code = ErrorCode(rawValue: text) else {
        let meant = Suggestion.closest(to: text, among: ErrorCode.allCases.map(\.rawValue))
        throw object.invalid(
          "refuse",
          "\(Quoted(text)) is not an error code",
          hint: meant.map { "did you mean \($0)?" }
        )
      }
      outcome = .refusal(code)
    default:
      throw object.invalid("expect", "a step requires either expect or refuse")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(role, forKey: .role)
    try container.encode(transition, forKey: .transition)
    try container.encodeIfPresent(comment, forKey: .comment)
    if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
    switch outcome {
    case .state(let state): try container.encode(state, forKey: .expect)
    case .refusal(let code): try container.encode(code, forKey: .refuse)
    }
  }
}
