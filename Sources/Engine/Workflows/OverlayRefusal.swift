internal import Domain

/// Combines the findings about an overlay into one error. Its message has the first finding, its details have
/// all of them.
enum OverlayRefusal {
  static func error(_ findings: [WorkflowDiagnostic], _ subject: String, hint: String? = nil) -> DomainError {
    let first = findings.first
    let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
    return DomainError(
      .invalidWorkflow,
      "\(subject): \(first.map { "\($0.path): \($0.message) [\($0.code.rawValue)]" } ?? "")\(more)",
      hint: hint ?? first?.hint,
      details: [
        "findings": .array(
          findings.map { finding in
            .object([
              "code": .string(finding.code.rawValue), "path": .string(finding.path),
              "message": .string(finding.message), "hint": .string(finding.hint),
            ])
          }
        )
      ]
    )
  }
}
