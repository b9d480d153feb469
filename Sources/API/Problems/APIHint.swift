internal import Domain

/// Hints for clients of the API, who have no command line.
package enum APIHint {
  /// The hint for errors without one of their own.
  static let general = "ask an administrator of the company, with the request_id"

  /// Returns the hint of an error. A hint that names a command, an option or a login is replaced, and the usual hint of
  /// a code if there is a better one for clients.
  static func text(of error: DomainError) -> String {
    let namesCommand = namesCommand(error.hint)
    guard namesCommand || error.hint == error.code.hint else { return error.hint }
    return replacements[error.code] ?? (namesCommand ? general : error.hint)
  }

  /// True if a text names a command, an option of one, or the operator's settings.
  package static func namesCommand(_ text: String) -> Bool {
    ["fettle", "--", "DATABASE_URL", "pg_hba", "psql"].contains { text.contains($0) }
  }

  /// True if a text names an option, such as `--set`.
  package static func names(_ text: String, option: String) -> Bool {
    text.ranges(of: option).contains { range in
      guard let next = text[range.upperBound...].first else { return true }
      return !next.isLetter && next != "-"
    }
  }

  static let replacements: [ErrorCode: String] = [
    .notFound: "check the id or the name, or list what exists",
    .unknownPermission: "list the permissions with GET /v1/roles",
    .unknownFields: "use the fields of the schema in GET /v1/openapi.json",
    .unknownRole: "list the roles with GET /v1/roles",
    .unknownType: "list the types with GET /v1/about",
    .unknownReport: "list the reports with GET /v1/reports",
    .unauthenticated: "sign in, or send a token",
    .forbidden: "ask an administrator of the company for the permission",
    .notGrantable: "leave out the permissions that are named",
    .companySuspended: "ask the operator to resume the company",
    .companyArchived: "ask the operator to restore the company",
    .entitlementRequired: "ask the operator for the entitlement",
    .wrongState: "read the current status and what is allowed in it",
    .transitionDisabled: "show the workflow with GET /v1/workflows",
    .quotaExceeded: "delete records, or ask the operator to raise the quota",
    .stillReferenced: "delete or change the records that refer to this one first",
    .lastOwner: "make another member owner first",
    .lastAdministrator: "make another member admin first",
    .planHasOpenEntry: "complete the open entry of the plan first",
    .stale: "read it again, then retry with its new ETag",
    .invalidInput: "correct the value that the detail names",
    .missingFields: "add what the detail names",
    .alreadyExists: "choose another name, or change the existing object",
    .readingBelowLast: "check the value, and state a reset if the counter was reset",
    .unavailable: "try again after Retry-After",
    .providerUnavailable: "try again after Retry-After, or sign in in another way",
    .timedOut: "try again after Retry-After",
  ]
}
