internal import Domain

/// The routes that guests of a demo may use. All guests share one member, so every other route refuses them, also one that
/// is added later.
package enum GuestAccess {
  /// The patterns of the routes that show a guest the demo, besides those of records.
  private static let patterns: Set<String> = [
    "/v1/company", "/v1/files/{file}", "/v1/files/{file}/content", "/v1/me", "/v1/openapi.json",
    "/v1/reports", "/v1/reports/{name}", TypeRoutes.pattern, "/v1/workflows", "/v1/workflows/{workflow}",
  ]

  /// True if guests may use a route: they read the records of the demo, and what describes them.
  package static func admits(_ method: APIMethod, _ pattern: String) -> Bool {
    guard method.isSafe else { return false }
    return patterns.contains(pattern) || pattern == RecordRoutes.collection
      || pattern.hasPrefix(RecordRoutes.collection + "/")
  }

  /// - Throws: `sign_up_required` for a route that guests may not use. Pages show them what they may read.
  static func require(_ method: APIMethod, _ route: Route) throws(DomainError) {
    guard admits(method, route.pattern) || route.face == .page && method.isSafe else {
      throw DomainError(.signUpRequired)
    }
  }
}
