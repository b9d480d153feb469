extension AppManifest: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case app, version, title, schema, types, tables, workflows, templates, messages, jobs, schedules, reports,
      reads, words
    case summary = "description"
    case minimumClient = "min_client"
    case referenceTables = "reference_tables"
  }

  /// Decodes a manifest.
  ///
  /// - Throws: `unknown_key` for an unknown key anywhere in the manifest, `invalid_document` for an invalid
  ///   value.
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    app = try object.required("app")
    guard Identifier.isWord(app) else {
      throw object.invalid("app", "\(Quoted(app)) is not a valid name of an app")
    }
    version = try object.required("version")
    guard VersionNumber.range.contains(version) else {
      throw object.invalid("version", "the version of \(app) must be \(VersionNumber.words)")
    }
    title = try object.required("title")
    summary = try object.optional("description")
    schema = try object.value("schema", default: app)
    guard Identifier.isWord(schema) else {
      throw object.invalid("schema", "\(Quoted(schema)) is not a valid name of a schema")
    }
    minimumClient = try object.value("min_client", default: 1)
    types = try object.named("types")
    tables = try object.named("tables")
    workflows = try object.value("workflows", default: [])
    templates = try object.named("templates")
    messages = try object.optional("messages", as: GuardMessages.self)?.messages ?? []
    jobs = try object.value("jobs", default: [])
    schedules = try object.value("schedules", default: [])
    reports = try object.value("reports", default: [])
    referenceTables = try object.value("reference_tables", default: [])
    for table in referenceTables where !Identifier.isDotted(table, words: 2...2) {
      throw object.invalid("reference_tables", "\(Quoted(table)) is not of the form schema.table")
    }
    reads = try object.value("reads", default: [])
    for name in reads where !Identifier.isDotted(name, words: 2...2) {
      throw object.invalid(
        "reads",
        "\(Quoted(name)) is not of the form app.type",
        hint: "write core.person or app.type"
      )
    }
    words = try object.value("words", default: ManifestWords())
  }

  /// Encodes the manifest. Types, states and transitions become arrays, because `jsonb` does not keep the
  /// order of keys.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(app, forKey: .app)
    try container.encode(version, forKey: .version)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(summary, forKey: .summary)
    try container.encode(schema, forKey: .schema)
    try container.encode(minimumClient, forKey: .minimumClient)
    try container.encode(types, forKey: .types)
    try container.encode(tables, forKey: .tables)
    try container.encode(workflows, forKey: .workflows)
    try container.encode(templates, forKey: .templates)
    try container.encode(GuardMessages(messages: messages), forKey: .messages)
    try container.encode(jobs, forKey: .jobs)
    try container.encode(schedules, forKey: .schedules)
    try container.encode(reports, forKey: .reports)
    try container.encode(referenceTables, forKey: .referenceTables)
    if !reads.isEmpty { try container.encode(reads, forKey: .reads) }
    if !words.texts.isEmpty { try container.encode(words, forKey: .words) }
  }

  /// The `messages:` of a manifest: a mapping from names to texts, sorted by name.
  private struct GuardMessages: Codable {
    let messages: [GuardMessage]

    init(messages: [GuardMessage]) { self.messages = messages }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: NamedKey.self)
      messages = try container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }).map { key in
        GuardMessage(name: key.stringValue, text: try container.decode(String.self, forKey: key))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: NamedKey.self)
      for message in messages { try container.encode(message.text, forKey: NamedKey(message.name)) }
    }
  }
}
