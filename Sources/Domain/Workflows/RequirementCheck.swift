/// Checks that a request satisfies the requirements of its transition.
enum RequirementCheck {
  /// Requires the input of a transition. All missing fields are reported in one error.
  ///
  /// - Throws: `field_not_editable` for fields that the transition does not accept; `missing_fields`;
  ///   `invalid_input` for a comment that is too long or contains NUL.
  static func require(
    _ transition: WorkflowTransition,
    _ request: TransitionRequest,
    _ record: RecordSnapshot
  ) throws(DomainError) {
    let accepted = Set(transition.require.fields + transition.givenTimes)
    let surplus = request.fields.keys.filter { !accepted.contains($0) }
    guard surplus.isEmpty else {
      throw DomainError(
        .fieldNotEditable,
        "\(transition.name) does not accept \(surplus.joined(separator: ", "))",
        hint: "edit the record before or after the transition",
        details: ["fields": .strings(surplus)]
      )
    }
    var missing = transition.require.fields.filter { column in
      (request.fields[column] ?? record.fields[column] ?? .null).isBlank
    }
    let comment = request.comment?.trimmingSpaces() ?? ""
    let minimum = transition.require.commentMinimum ?? 0
    if comment.visibleCount < minimum { missing.append("comment") }
    guard missing.isEmpty else {
      throw DomainError(
        .missingFields,
        "\(transition.name) requires \(missing.joined(separator: ", "))",
        hint: missing.last == "comment"
          ? "add \(missing.joined(separator: ", ")); the comment requires \(minimum) characters or more"
          : "add \(missing.joined(separator: ", "))",
        details: ["fields": .strings(missing), "comment_min": .integer(minimum)]
      )
    }
    guard comment.unicodeScalars.count <= TransitionRequest.longestComment,
      !comment.unicodeScalars.contains("\0")
    else {
      throw DomainError(
        .invalidInput,
        "the comment is longer than \(TransitionRequest.longestComment) characters or contains NUL",
        hint: "shorten the comment, and remove NUL characters"
      )
    }
  }
}
