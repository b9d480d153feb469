/// A quota: the maximum number of records of one type, or of all types together.
package struct QuotaState: Sendable, Hashable {
  /// The record type; `*` for all types together, `bytes` for files.
  package let type: String
  /// The maximum number of records, excluding deleted ones.
  package let maximum: Int64

  /// The quotas that are not of one type: all records together, and the bytes of files.
  package static let others = ["*", "bytes"]

  package init(type: String, maximum: Int64) {
    self.type = type
    self.maximum = maximum
  }
}

/// The `quotas:` of a company: a mapping from record types to numbers.
struct QuotaTexts: Decodable {
  let quotas: [QuotaState]

  init(from decoder: any Decoder) throws {
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    quotas = try mapping.allKeys.map { key in
      QuotaState(type: key.stringValue, maximum: try mapping.decode(Int64.self, forKey: key))
    }
  }
}

/// A limit on a company's jobs: how many run concurrently, and how many start in a period.
package struct QueueLimitState: Sendable, Hashable {
  /// The queue to which the limit applies; nil for all queues.
  package let queue: String?
  /// The kind of job to which the limit applies; nil for all kinds.
  package let kind: String?
  /// The maximum number of concurrent jobs, 1 to 1,000,000; nil for no maximum.
  package let running: Int?
  /// The maximum start rate; nil for no maximum.
  package let rate: JobRate?

  package init(queue: String?, kind: String?, running: Int?, rate: JobRate?) {
    self.queue = queue
    self.kind = kind
    self.running = running
    self.rate = rate
  }

  /// The limited jobs as a text for messages, which also identifies the limit: `kind solar.push`.
  package var text: String {
    let words = [kind.map { "kind \($0)" }, queue.map { "queue \($0)" }].compactMap { $0 }
    return words.isEmpty ? "every queue" : words.joined(separator: " ")
  }

  var document: JSONValue {
    var object: JSONObject = [:]
    object["queue"] = queue.map { .string($0) }
    object["kind"] = kind.map { .string($0) }
    object["running"] = running.map { .integer($0) }
    object["rate"] = rate.map { .string($0.text) }
    return .object(object)
  }
}

extension QueueLimitState: Decodable {
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["queue", "kind", "running", "rate"])
    let running: Int? = try object.optional("running")
    if let running, !(1...1_000_000).contains(running) {
      throw object.refusal("running", "running must be 1 to 1000000, not \(running)")
    }
    let rate: String? = try object.optional("rate")
    guard running != nil || rate != nil else {
      throw object.refusal(
        "running",
        "a limit requires running or rate",
        hint: "write running: 4"
      )
    }
    self.init(
      queue: try object.optional("queue"),
      kind: try object.optional("kind"),
      running: running,
      rate: try rate.map { text in try DocumentPlace(decoder, "rate").locating { try JobRate(parsing: text) }
      }
    )
  }
}

/// The version of a workflow that a company uses.
package struct WorkflowChoiceState: Sendable, Hashable {
  /// The record type of the workflow.
  package let type: String
  package let version: Int

  package init(type: String, version: Int) {
    self.type = type
    self.version = version
  }
}

/// The `workflows:` of a company: a mapping from record types to versions.
struct WorkflowChoiceTexts: Decodable {
  let choices: [WorkflowChoiceState]

  init(from decoder: any Decoder) throws {
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    choices = try mapping.allKeys.map { key in
      WorkflowChoiceState(type: key.stringValue, version: try mapping.decode(Int.self, forKey: key))
    }
  }
}
