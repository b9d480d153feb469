extension TwoCompanies {
  /// The rows of the apps that need not be compiled in, by app.
  static let scripts = [
    "inventory": """
      insert into inventory.item (company_id, id, name, category, purchase_date, receipt_id, created_by)
      values ('{c}', '{20}', 'Drill', 'Tools', '2026-01-01', '{4}', '{1}');
      insert into inventory.claim (company_id, id, item_id, issue, created_by, status, status_category)
      values ('{c}', '{21}', '{20}', 'Smokes', '{1}', 'draft', 'open');
      insert into inventory.saved_collection (company_id, id, name, filter, created_by)
      values ('{c}', '{22}', 'Garage', '{"location": "Garage"}', '{1}');
    """,
    "macros": """
      insert into macros.profile (company_id, id, created_by) values ('{c}', '{23}', '{1}');
      insert into macros.goal (company_id, id, protein_g, carbs_g, fat_g, effective_from, created_by)
      values ('{c}', '{24}', 120, 200, 60, '2026-01-01', '{1}');
      insert into macros.carb_cycle (company_id, id, weekday, day_type, created_by)
      values ('{c}', '{25}', 1, 'high_carb', '{1}');
      insert into macros.preset (company_id, id, name, protein_g, created_by) values ('{c}', '{26}', 'Shake', 30, '{1}');
      insert into macros.entry (company_id, id, protein_g, eaten_at, local_date, preset_id, created_by)
      values ('{c}', '{27}', 30, '2026-01-01 12:00+00', '2026-01-01', '{26}', '{1}');
    """,
    "solar": """
      insert into solar.site (company_id, id, name, created_by) values ('{c}', '{28}', 'Roof', '{1}');
      insert into solar.sample (company_id, site_id, taken_at, inverter_kw)
      values ('{c}', '{28}', '2026-01-01 12:00+00', 3.5);
      insert into solar.utility_account (company_id, id, site_id, endpoint, created_by)
      values ('{c}', '{29}', '{28}', 'https://{x}.example/readings', '{1}');
      insert into solar.recording
        (company_id, id, site_id, type, value, taken_at, created_by, status, status_category)
      values ('{c}', '{30}', '{28}', 'manual', 3.5, '2026-01-01 12:00+00', '{1}', 'uploaded', 'done');
    """,
    "trips": """
      insert into trips.conversation (company_id, id, title, created_by, status, status_category)
      values ('{c}', '{31}', 'Lofoten', '{1}', 'open', 'open');
      insert into trips.message (company_id, id, conversation_id, seq, author, content, created_by)
      values ('{c}', '{32}', '{31}', 1, 'user', 'Where to?', '{1}');
      insert into trips.plan (company_id, id, conversation_id, title, created_by, status, status_category)
      values ('{c}', '{33}', '{31}', 'Lofoten', '{1}', 'draft', 'open');
      insert into trips.stop (company_id, id, plan_id, day_no, position, name, created_by)
      values ('{c}', '{34}', '{33}', 1, 1, 'Reine', '{1}');
      insert into trips.plan_share (company_id, id, plan_id, token_hash, created_by)
      values ('{c}', '{35}', '{33}', sha256('{x}'), '{1}');
      insert into core.comment (company_id, id, record_type, record_id, owner_id, body, created_by)
      values ('{c}', '{36}', 'trips.plan', '{33}', '{1}', 'Bring a tripod', '{1}');
    """,
  ]
}
