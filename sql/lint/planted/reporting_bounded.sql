-- A login for reports that can take every connection of the server.
create role fettle_report_planted login in role fettle_report_company;
