internal import Domain
internal import Postgres

/// Checks that the own versions of workflows which companies follow fit a new version of their app.
struct OwnWorkflowCheck {
  private struct Followed {
    let company: String
    let type: String
    let version: Int
    let base: Int
  }

  private let manifest: AppManifest

  init(_ manifest: AppManifest) {
    self.manifest = manifest
  }

  /// - Throws: `invalid_manifest` with a finding for each place of an own version that the app does not fit.
  func run(_ tx: Transaction) throws {
    var checked: [String: [ManifestDiagnostic]] = [:]
    var findings: [ManifestDiagnostic] = []
    for followed in try followed(tx) {
      let name = "\(followed.type)@\(followed.version)"
      let found = try checked[name] ?? faults(of: followed, tx)
      checked[name] = found
      findings += found.map { finding in
        ManifestDiagnostic(
          code: finding.code,
          path: "\(name) of \(followed.company): \(finding.path)",
          message: finding.message,
          hint:
            "before the upgrade, let \(followed.company) follow another version with `fettle workflow install`"
            + " or `fettle workflow activate`"
        )
      }
    }
    guard findings.isEmpty else { throw AppRefusal.error(.invalidManifest, app: manifest.app, findings) }
  }

  private func faults(of followed: Followed, _ tx: Transaction) throws -> [ManifestDiagnostic] {
    guard let own = try WorkflowStore.definition(of: followed.type, version: followed.version, tx),
      let base = try WorkflowStore.definition(of: followed.type, version: followed.base, tx)
    else { return [] }
    return try WorkflowRules.findings(aboutOwn: own.numbered(base.version), madeFrom: base, of: manifest, tx)
  }

  /// Returns the own versions that companies follow or are moving to. They are read company by company because of row-level
  /// security.
  private func followed(_ tx: Transaction) throws -> [Followed] {
    let types = manifest.types.map(\.name)
    return try OperatorView.look(tx) { tx in
      try CompanyStore.all(tx).flatMap { company in
        try OperatorView.enter(company.id, tx)
        return try tx.rows(
          """
          select o.record_type, o.version, o.based_on
          from core.workflow_own o
          join core.workflow_choice w
            on w.company_id = o.company_id and w.record_type = o.record_type and o.version in (w.version, w.next_version)
          where o.company_id = \(company.id) and o.record_type = any (\(types))
          """,
          String.self,
          Int.self,
          Int.self
        ).map { Followed(company: company.slug, type: $0.0, version: $0.1, base: $0.2) }
      }
    }
  }
}
