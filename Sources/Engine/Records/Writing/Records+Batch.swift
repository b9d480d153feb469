internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Records {
  /// The lock timeout of a batch, long enough to wait for another batch.
  private static let batchLockTimeout = Duration.seconds(30)

  /// Applies several operations in one unit of work: all of them or none.
  ///
  /// An operation sees what those before it in the list have done.
  ///
  /// - Parameters:
  ///   - key: the idempotency key.
  ///   - lockTimeout: the lock timeout; nil for 30 seconds, long enough to wait for another batch.
  ///   - dryRun: true to write and roll back.
  /// - Returns: the results, in the order of the operations.
  /// - Throws: the error of the first refused operation, with its position as `operation` in the details.
  package func apply(
    _ acting: ActingContext,
    _ operations: [RecordOperation],
    key: String? = nil,
    lockTimeout: Duration? = nil,
    dryRun: Bool = false
  ) async throws -> [RecordAnswer] {
    let idempotency = try key.map { ($0, try hash(operations)) }
    let timeout = lockTimeout ?? Self.batchLockTimeout
    return try await underFollowedWorkflows(acting) {
      try await perform(acting, idempotency: idempotency, dryRun: dryRun, lockTimeout: timeout) { work in
        try apply(acting, operations, in: &work)
      }
    }
  }

  private func hash(_ operations: [RecordOperation]) throws -> [UInt8] {
    let parts = try operations.map { operation in
      let (type, id) = operation.subject
      return switch operation {
      case .create: "create \(type) \(id.text) \(JSONValue.object(operation.fields).canonicalText)"
      case .update(_, _, let fields, let version):
        "update \(type) \(id.text) \(version ?? 0) \(JSONValue.object(fields).canonicalText)"
      case .transition(_, _, let request): "do \(type) \(id.text) \(try JSON(encoding: request).text)"
      case .delete(_, _, let version, let comment):
        "delete \(type) \(id.text) \(version ?? 0) \(JSONValue.string(comment ?? "").text)"
      case .restore: "restore \(type) \(id.text)"
      case .attach(_, _, let file, _): "attach \(type) \(id.text) \(file.id.text)"
      }
    }
    return SHA256.hash("batch\n\(parts.joined(separator: "\n"))")
  }

  private func apply(_ acting: ActingContext, _ operations: [RecordOperation], in work: inout Work) throws
    -> [RecordAnswer]
  {
    let requests = operations.enumerated().map { ChangeRequest(no: Int64($0), operation: $1) }
    let preparation = try ChangePreparation(self, acting, requests)
    let waves = preparation.waves
    let changes = waves.flatMap(\.self)
    // What deletions and restorations refer to has to be read before the locks.
    let isSeparate = changes.contains { $0.operation.reachesOthers }
    let numbers = work.numbers
    let (access, (references, first)) = try work.read { pipeline in
      (
        ChangeRun.askReferences(of: changes, acting, &pipeline),
        isSeparate
          ? nil
          : try ChangeRun.ask(
            waves.first ?? [],
            locking: changes,
            self,
            acting,
            device: nil,
            numbers,
            &pipeline
          )
      )
    }
    guard access.catalogueNumber == catalogue.number else { throw OutdatedCatalogue() }
    if changes.contains(where: { $0.type?.workflow != nil }) {
      guard access.workflowRevision == preparation.revision else { throw OutdatedWorkflows() }
      work.decided(under: preparation.revision)
    }
    let rights = try Rights(acting, access)
    let run = ChangeRun(records: self, acting: acting, rights: rights, policy: nil, keepsOthers: false)
    if isSeparate { try run.lock(changes, references, in: work) }
    var answers: [Int64: RecordAnswer] = [:]
    var refusal: (no: Int64, error: DomainError)?
    for (index, wave) in waves.enumerated() {
      // After a refusal, only an earlier operation matters.
      let open = refusal.map { refused in wave.filter { $0.no < refused.no } } ?? wave
      guard !open.isEmpty else { continue }
      let isLast = index == waves.count - 1
      for (change, outcome) in try run.apply(open, index == 0 ? first : nil, isLast: isLast, in: &work) {
        switch outcome {
        case .applied(let answer, _): answers[change.no] = answer
        case .done(let version):
          throw DomainError(.internal, "operation \(change.no) is done in version \(version ?? 0)")
        case .refused(let error, _):
          if change.no < refusal?.no ?? .max { refusal = (change.no, error) }
        }
      }
    }
    if let (no, error) = refusal {
      var details = error.details
      details["operation"] = .integer(no)
      throw DomainError(error.code, error.message, hint: error.hint, details: details)
    }
    return operations.indices.compactMap { answers[Int64($0)] }
  }
}
