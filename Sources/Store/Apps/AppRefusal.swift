package import Domain

/// Combines the findings about an app into one error: the first finding as the message, all of them as data
/// for programs.
package enum AppRefusal {
  static func error(_ code: ErrorCode, app: String, _ findings: ManifestDiagnostic...) -> DomainError {
    error(code, app: app, findings)
  }

  package static func error(_ code: ErrorCode, app: String, _ findings: [ManifestDiagnostic]) -> DomainError {
    guard let first = findings.first else { return DomainError(code) }
    let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
    return DomainError(
      code,
      "\(app): \(first.path): \(first.message) [\(first.code)]\(more)",
      hint: first.hint,
      details: [
        "finding": .string(first.code),
        "findings": .array(
          findings.map { finding in
            .object([
              "code": .string(finding.code), "path": .string(finding.path),
              "message": .string(finding.message), "hint": .string(finding.hint),
            ])
          }
        ),
      ]
    )
  }
}
