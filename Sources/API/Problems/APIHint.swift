internal import Domain

/// Hints for clients of the API, who have no command line.
enum APIHint {
  /// Returns the hint of an error. A hint that names a command is replaced.
  static func text(of error: DomainError) -> String {
    guard error.hint.contains("`fettle ") || error.hint.contains("--") else { return error.hint }
    return replacements[error.code] ?? "ask an administrator of the company, with the request_id"
  }

  private static let replacements: [ErrorCode: String] = [
    .forbidden: "ask an administrator of the company for the permission",
    .unknownPermission: "list the permissions with GET /v1/roles/permissions",
    .unknownRole: "list the roles with GET /v1/roles",
    .unknownType: "list the types with GET /v1/about",
    .unknownReport: "list the reports with GET /v1/reports",
    .unauthenticated: "sign in, or send a token",
  ]
}
