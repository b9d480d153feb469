import FoundationEssentials
import Testing

@testable import Domain

@Suite struct AppManifestTests {
  private static var relations: [String: Set<String>] {
    let base = Set(RecordBase.columns)
    let entry = base.union([
      "machine_id", "description", "actual_cost", "completion_note", "created_by_name", "assigned_to",
      "external_ref",
      "status", "status_category", "started_at", "started_by", "completed_at", "completed_by",
    ])
    return [
      "maintenance.entry": entry,
      "maintenance.v_entry": entry.union(["machine_code"]),
      "maintenance.time_entry": base.union(["entry_id", "user_id", "user_name", "entry_status_category"]),
      "report.v1_backlog": [],
    ]
  }

  private static func problems(
    _ original: String,
    _ replacement: String,
    catalogue: Bool = false
  ) throws -> [ManifestDiagnostic] {
    let json = Fixture.manifestJSON.replacing(original, with: replacement, maxReplacements: 1)
    #expect(json != Fixture.manifestJSON, "nothing was planted")
    var context = ManifestContext()
    if catalogue { context.relations = relations }
    return try Fixture.decode(AppManifest.self, json).validate(in: context)
  }

  @Test func `a sound manifest has nothing against it`() throws {
    #expect(try Fixture.manifest().validate().isEmpty)
  }

  @Test func `a note that nobody has marked is found without a database`() throws {
    let found = try Self.problems(#", "impersonal": ["completion_note"]"#, "")
    #expect(found.map(\.code) == ["unmarked_personal"])
    #expect(found.first?.path == "types.maintenance.entry")
  }

  @Test func `words name what the app has, in known languages`() throws {
    let json = Fixture.manifestJSON
    func with(_ words: String) throws -> AppManifest {
      try Fixture.decode(AppManifest.self, json.replacing(#""templates""#, with: words + #", "templates""#))
    }
    let manifest = try with(
      #""words": {"sv": {"app": "Underhåll", "maintenance.entry#plural": "Arbetsordrar", "maintenance.entry=pending": "Väntar", "maintenance.entry.description": "Beskrivning", "maintenance.entry.kind=oil": "Olja"}}"#
    )
    #expect(manifest.validate().isEmpty)
    #expect(manifest.words.texts[.swedish]?["app"] == "Underhåll")
    let copy = try JSONDecoder().decode(AppManifest.self, from: JSONEncoder().encode(manifest))
    #expect(copy == manifest)
    for key in [
      "maintenance.entrie", "maintenance.entry=pendig", "maintenance.entry!x", "report.none", "title",
    ] {
      let found = try with(#""words": {"sv": {"\#(key)": "x"}}"#).validate()
      #expect(found.map(\.code) == ["unknown_word"], "\(key)")
    }
    let language = try #require(refusal { _ = try with(#""words": {"de": {"app": "Wartung"}}"#) })
    #expect(language.code == .unknownKey)
    let empty = try #require(refusal { _ = try with(#""words": {"sv": {"app": " "}}"#) })
    #expect(empty.code == .invalidDocument)
  }

  @Test func `a manifest survives a store that forgets the order of members`() throws {
    let manifest = try Fixture.manifest()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = String(decoding: try encoder.encode(manifest), as: UTF8.self)
    let read = try Fixture.decode(AppManifest.self, json)
    #expect(read.types.map(\.name) == ["maintenance.entry", "maintenance.time_entry"])
    #expect(read == manifest)
  }

  @Test func `defaults are what the manifest leaves out`() throws {
    let manifest = try Fixture.manifest()
    #expect(manifest.schema == "maintenance")
    let hours = try #require(manifest.type("maintenance.time_entry"))
    #expect(hours.view == hours.table)
    #expect(hours.sync == .reject)
    #expect(hours.scope == .company)
    #expect(hours.ownerFields == ["user_id"])
    #expect(hours.creatable == ["entry_id", "user_id", "user_name"])
  }

  @Test(arguments: [
    (#""plural": "Time"#, #""plurals": "Time"#, "types.maintenance.time_entry.plurals"),
    (#""on_delete""#, #""ondelete""#, "types.maintenance.entry.references.assigned_to.ondelete"),
    (#""guest": ["read"]"#, #""geust": ["read"]"#, "types.maintenance.entry.grants.geust"),
    (#""max_bytes""#, #""maxbytes""#, "types.maintenance.entry.attachments.photo.maxbytes"),
    (#""view": "report"#, #""veiw": "report"#, "reports[0].veiw"),
    (#""body""#, #""text""#, "templates.entry_started.text"),
  ])
  func `a misspelt key is an error that names its place`(original: String, misspelt: String, path: String)
    throws
  {
    let json = Fixture.manifestJSON.replacing(original, with: misspelt, maxReplacements: 1)
    let error = try #require(refusal { _ = try Fixture.decode(AppManifest.self, json) })
    #expect(error.code == .unknownKey)
    #expect(error.details["path"]?.string == path)
  }

  @Test(arguments: [
    (#""maintenance.time_entry": {"#, #""solar.time_entry": {"#, "types.solar.time_entry"),
    (#""workflow": "maintenance.entry", "sync""#, #""workflow": "maintenance.entri", "sync""#, "workflow"),
    (#""start", "complete"],"#, #""strat", "complete"],"#, "grants.user"),
    (#""maintenance.entry.update" }"#, #""maintenance.entry.updat" }"#, "edit[0]"),
    (#""fields": ["completion_note", "actual_cost"]"#, #""fields": ["started_at"]"#, "edit[2].fields"),
    (#""to": "core.membership""#, #""to": "core.membershp""#, "references.assigned_to"),
    (#""engine": ["created_by_name"]"#, #""engine": ["machine_id"]"#, "engine"),
    (#""engine": ["created_by_name"]"#, #""engine": ["started_at"]"#, "engine"),
    (#""editable": ["user_id""#, #""editable": ["version", "user_id""#, "editable"),
    (#""template": "entry_stuck""#, #""template": "entry_stucc""#, "transitions.escalate.effects[0]"),
    (#""when": "$.status == \"pending\"""#, #""when": "$.** == 1""#, "edit[1].when"),
  ])
  func `names used in the manifest must be declared in it`(original: String, planted: String, path: String)
    throws
  {
    let found = try Self.problems(original, planted)
    #expect(found.contains { $0.path.hasSuffix(path) }, "\(found)")
    #expect(found.allSatisfy { !$0.hint.isEmpty })
  }

  @Test(arguments: [
    (#""search": ["description"]"#, #""search": ["descriptoin"]"#, "types.maintenance.entry"),
    (#""view": "maintenance.v_entry""#, #""view": "maintenance.v_entri""#, "types.maintenance.entry"),
    (#""fixed": ["machine_id"]"#, #""fixed": ["machine"]"#, "types.maintenance.entry.fixed"),
    (#""fixed": ["machine_id"]"#, #""fixed": []"#, "types.maintenance.entry"),
    (#""when": "$.status"#, #""when": "$.statsu"#, "types.maintenance.entry.edit[1].when"),
    (
      #""started_at": "$now""#, #""startd_at": "$now""#,
      "workflows.maintenance.entry.transitions.start.set.startd_at"
    ),
    (#""view": "report.v1_backlog""#, #""view": "report.v1_backlg""#, "reports.backlog.view"),
    (#"started on {machine_code}"#, #"started on {machine_cod}"#, "templates.entry_started"),
  ])
  func `names used in the manifest must be in the catalogue`(original: String, planted: String, path: String)
    throws
  {
    let found = try Self.problems(original, planted, catalogue: true)
    #expect(found.contains { $0.path == path }, "\(found)")
  }

  @Test func `a workflow in a file takes its place when it has been read`() throws {
    let json = Fixture.manifestJSON.replacing(Fixture.entryJSON, with: #"{ "file": "entry.workflow.yaml" }"#)
    let manifest = try Fixture.decode(AppManifest.self, json)
    #expect(manifest.workflowFiles == ["entry.workflow.yaml"])
    #expect(manifest.validate().contains { $0.message.contains("was not read") })
    let whole = manifest.including(["entry.workflow.yaml": try Fixture.entryWorkflow()])
    #expect(whole == (try Fixture.manifest()))
    let outside = Fixture.manifestJSON.replacing(Fixture.entryJSON, with: #"{ "file": "../../etc/passwd" }"#)
    #expect(refusal { _ = try Fixture.decode(AppManifest.self, outside) }?.code == .invalidDocument)
  }

  @Test func `all is every verb of a type and of its transitions`() throws {
    let manifest = try Fixture.manifest()
    let type = try #require(manifest.type("maintenance.entry"))
    let all = GrantRule.all.permissions(of: type, workflow: manifest.workflow("maintenance.entry"))
    #expect(
      all.map(\.verb) == ["read", "create", "update", "delete", "export", "start", "complete", "reopen"]
    )
  }

  @Test func `a notice is filled in once, from columns only`() throws {
    let fields: JSONObject = [
      "machine_code": "RM-{description}", "description": "leak", "hours": 2, "none": .null,
    ]
    #expect(NoticeTemplate.fill("{machine_code}: {description}", with: fields) == "RM-{description}: leak")
    #expect(
      NoticeTemplate.fill("{hours}h {none}{missing} {Not A Column} {", with: fields) == "2h  {Not A Column} {"
    )
    let template = NoticeTemplate(name: "t", title: "{machine_code} {a}", body: "{a} {b")
    #expect(template.columns == ["machine_code", "a"])
  }
}
