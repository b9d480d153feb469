extension RecordTypeDefinition: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, label, plural, table, view, number, key, scope, workflow, sync, grants, editable, fixed,
      engine, edit
    case references, search, sort, clock, attachments, hooks, entitlement, section, limits, rounds,
      command, personal, impersonal
    case titleField = "title_field"
    case ownerFields = "owner_fields"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(
      decoder,
      keys: CodingKeys.allCases.map(\.rawValue).filter { name == nil || $0 != "name" }
    )
    self.name = try name ?? object.required("name")
    guard Identifier.isDotted(self.name, words: 2...2) else {
      throw object.invalid("name", "\(Quoted(self.name)) is not a record type", hint: "write app.type")
    }
    label = try object.required("label")
    plural = try object.required("plural")
    table = try object.required("table")
    view = try object.value("view", default: table)
    titleField = try object.required("title_field")
    let number = try object.optional("number", as: NumberRule.self)
    self.number = number
    key = try object.value("key", default: [])
    scope = try object.value("scope", default: .company)
    ownerFields = try object.value("owner_fields", default: [])
    workflow = try object.optional("workflow")
    sync = try object.value("sync", default: .reject)
    grants = try object.optional("grants", as: GrantTable.self)?.grants ?? []
    editable = try object.value("editable", default: [])
    fixed = try object.value("fixed", default: [])
    let engine = try object.value("engine", default: [String]())
    self.engine = engine + (number == nil ? [] : NumberRule.columns.filter { !engine.contains($0) })
    edit = try object.value("edit", default: [])
    references = try object.named("references")
    search = try object.value("search", default: [])
    sort = try object.value("sort", default: [])
    let clock = try object.value("clock", default: [String]())
    self.clock = clock
    attachments = try object.named("attachments")
    hooks = try object.value("hooks", default: [])
    entitlement = try object.optional("entitlement")
    section = try object.optional("section")
    if let section, !Identifier.isWord(section) {
      throw object.invalid("section", "\(Quoted(section)) is not a lower-case word")
    }
    limits = try object.value("limits", default: [:])
    rounds = Set(try object.value("rounds", default: [String]()))
    personal = try PersonalColumns(object)
    command = try object.optional("command")
    for (column, limit) in limits where limit < 1 {
      throw object.invalid("limits", "the limit of \(Quoted(column)) must be 1 or more")
    }
    for relation in [table, view] where !Identifier.isDotted(relation, words: 2...2) {
      throw object.invalid("table", "\(Quoted(relation)) is not of the form schema.name")
    }
    let columns = editable + fixed + engine + key + search + sort + clock + ownerFields + [titleField]
    for column in columns + references.map(\.column) where !Identifier.isWord(column) {
      throw object.invalid("editable", "\(Quoted(column)) is not a valid column name")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(label, forKey: .label)
    try container.encode(plural, forKey: .plural)
    try container.encode(table, forKey: .table)
    try container.encode(view, forKey: .view)
    try container.encode(titleField, forKey: .titleField)
    try container.encodeIfPresent(number, forKey: .number)
    try container.encode(key, forKey: .key)
    try container.encode(scope, forKey: .scope)
    try container.encode(ownerFields, forKey: .ownerFields)
    try container.encodeIfPresent(workflow, forKey: .workflow)
    try container.encode(sync, forKey: .sync)
    try container.encode(GrantTable(grants: grants), forKey: .grants)
    try container.encode(editable, forKey: .editable)
    try container.encode(fixed, forKey: .fixed)
    try container.encode(engine, forKey: .engine)
    try container.encode(edit, forKey: .edit)
    try container.encode(references, forKey: .references)
    try container.encode(search, forKey: .search)
    try container.encode(sort, forKey: .sort)
    if !clock.isEmpty { try container.encode(clock, forKey: .clock) }
    try container.encode(attachments, forKey: .attachments)
    try container.encode(hooks, forKey: .hooks)
    try container.encodeIfPresent(entitlement, forKey: .entitlement)
    try container.encodeIfPresent(section, forKey: .section)
    if !limits.isEmpty { try container.encode(limits, forKey: .limits) }
    if !rounds.isEmpty { try container.encode(rounds.sorted(), forKey: .rounds) }
    if !personal.marked.isEmpty { try container.encode(personal.marked, forKey: .personal) }
    if !personal.waived.isEmpty { try container.encode(personal.waived, forKey: .impersonal) }
    try container.encodeIfPresent(command, forKey: .command)
  }
}
