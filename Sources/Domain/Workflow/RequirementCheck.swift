/// Checks the input of a request against the requirements of its transition.
enum RequirementCheck {
  /// Reports everything that is missing at once.
  static func require(
    _ transition: WorkflowTransition,
    _ request: TransitionRequest,
    _ record: RecordSnapshot
  ) throws(DomainError) {
    let accepted = Set(transition.require.fields)
    let surplus = request.fields.keys.filter { !accepted.contains($0) }
    guard surplus.isEmpty else {
      throw DomainError(
        .fieldNotEditable,
        "\(transition.name) takes no \(surplus.joined(separator: ", "))",
        hint: "Edit the record itself, before or after.",
        details: ["fields": .strings(surplus)]
      )
    }
    var missing = transition.require.fields.filter { column in
      (request.fields[column] ?? record.fields[column] ?? .null).isBlank
    }
    let comment = request.comment?.trimmingSpaces() ?? ""
    let minimum = transition.require.commentMinimum ?? 0
    if comment.count < minimum { missing.append("comment") }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(transition.name) needs \(missing.joined(separator: ", "))",
        hint: missing.last == "comment"
          ? "Give \(missing.joined(separator: ", ")); the comment needs \(minimum) characters or more."
          : "Give \(missing.joined(separator: ", ")).",
        details: ["fields": .strings(missing), "comment_min": .integer(minimum)]
      )
    }
    guard comment.unicodeScalars.count <= TransitionRequest.longestComment,
      !comment.unicodeScalars.contains("\0")
    else {
      throw DomainError(
        .invalidInput,
        "The comment is longer than \(TransitionRequest.longestComment) characters or contains NUL",
        hint: "Shorten it."
      )
    }
  }
}
